export { type ReportedLag, reportProcess } from './report-process.ts';

export type { LagStage } from './lag-entry.ts';
export { createLagReading, type LagReading } from './lag-reading.ts';
export { createLagReport, lagFromMs, type LagReport } from './lag-report.ts';

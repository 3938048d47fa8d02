export { alignColumns, alignFigures } from './align-columns.ts';

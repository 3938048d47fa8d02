export { alignColumns, alignFigures } from './align-columns.ts';
export { fitColumns } from './fit-columns.ts';

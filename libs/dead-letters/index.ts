export { type Bury, createBury } from './bury.ts';
export type { DiedRecord } from './died-record.ts';
export { type KeepDeadLetter, createKeepDeadLetter } from './keep-dead-letter.ts';
export { deadLetterMetrics } from './metrics.ts';

export { type Bury, createBury } from './bury.ts';
export { createBuryBatch } from './bury-batch.ts';
export { type BuryRecord, createBuryRecord, firstOriginOf } from './bury-record.ts';
export type { DiedRecord } from './died-record.ts';
export { type KeepDeadLetter, createKeepDeadLetter } from './keep-dead-letter.ts';
export { deadLetterCounter, deadLetterMetrics } from './metrics.ts';
export { bisect } from './bisect.ts';

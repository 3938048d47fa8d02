export { type LetterFilter, letterConditions, letterTables } from './letter-filter.ts';
export { type ReplayRow, replayColumns } from './replay-row.ts';
export { type LetterReplay, createLetterReplay, maxReplayLetters } from './create-letter-replay.ts';
export { createDeliveryReplay } from './create-delivery-replay.ts';
export { cancelReplay } from './cancel-replay.ts';
export { type ItemEnd, type LeasedReplay, type ReplayItem, type ReplayWork, createReplayWork } from './replay-work.ts';
export type { ReplayLane } from './lease-replays.ts';
export { replaysAhead, unfinishedByTenant, unfinishedReplays } from './unfinished-replays.ts';

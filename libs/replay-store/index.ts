export { type DeadLetterFilter, deadLetterConditions, deadLetterTables } from './dead-letter-filter.ts';
export { type ReplayRow, replayColumns } from './replay-row.ts';
export { type DeadLetterReplay, createDeadLetterReplay } from './create-dead-letter-replay.ts';
export { createDeliveryReplay } from './create-delivery-replay.ts';
export { createFilteredReplay, type Selection } from './create-filtered-replay.ts';
export {
  type Choice,
  type ChosenPage,
  createItemChoice,
  type ItemChoice,
  type UnchosenReplay,
} from './choose-items.ts';
export { followReplays } from './follow-replays.ts';
export { cancelReplay } from './cancel-replay.ts';
export { type ItemEnd, type LeasedReplay, type ReplayItem, type ReplayWork, createReplayWork } from './replay-work.ts';
export type { ReplayLane } from './lease-replays.ts';
export { replaysAhead, unfinishedByTenant, unfinishedReplays } from './unfinished-replays.ts';

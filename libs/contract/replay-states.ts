import { finalStatuses } from './states.ts';

/**
 * A replay:
 *
 *   running ──► sent ──► completed      every item was sent, or failed; then their deliveries have ended, too
 *          │        └──► partial        the same, but more had matched than the limit let in
 *          └──► cancelled               what was not sent by then went back to the dead
 *
 * One whose items have no deliveries is completed as soon as they are sent. From `sent` on, its turn and its place in the limit are free. One
 * by filter is shown as `queued` while an earlier one of its tenant runs.
 *
 * Its items: waiting ──taken──► sending ──► replayed | failed | left_out;  waiting ──► cancelled. One that was replayed and has a delivery has
 * an outcome: waiting ──► delivered | dead_lettered | cancelled. An item that is `sending` when its runner
 * dies is sent again by the next, under the same generation. `left_out`: the delivery was to be retried or cancelled, and has gone on since.
 *
 * A dead letter: dead ──claimed──► replaying ──► replayed, or dead again where its item failed or was cancelled.
 */
const replayStatuses = ['running', 'sent', 'completed', 'partial', 'cancelled'] as const;
export type ReplayStatus = (typeof replayStatuses)[number];

/** As users see it. */
export const shownReplayStatuses = ['queued', ...replayStatuses] as const;
export type ShownReplayStatus = (typeof shownReplayStatuses)[number];

/** Operations of a replay by filter on all that matches; other replays send dead letters, or an event. */
export const replayOperations = ['replay_events', 'retry_deliveries', 'cancel_deliveries'] as const;
export type ReplayOperation = (typeof replayOperations)[number];

export const replayItemStatuses = ['waiting', 'sending', 'replayed', 'failed', 'left_out', 'cancelled'] as const;
export type ReplayItemStatus = (typeof replayItemStatuses)[number];

/** How the deliveries of a replay end. */
export const replayOutcomes = ['waiting', ...finalStatuses] as const;
export type ReplayOutcome = (typeof replayOutcomes)[number];

export const deadLetterStatuses = ['dead', 'replaying', 'replayed'] as const;
export type DeadLetterStatus = (typeof deadLetterStatuses)[number];

/** As many as one transaction can claim within seconds on a slow machine. A larger replay ends as `partial`, and can be repeated. */
export const maxReplayDeadLetters = 100_000;

import { patchClockSteps } from './clock-steps.ts';
import { retryCoordinatorLookup } from './coordinator-not-found.ts';
import { countRequests } from './count-requests.ts';
import { decodeFetchesInOnePass } from './fetch-response.ts';
import { keepConnectionsFresh } from './fresh-connections.ts';
import { keepJoinGenerations } from './join-generation.ts';
import { reportOffsetsOutOfRange } from './offset-out-of-range.ts';
import { rejoinWithoutMemberId } from './rejoin-without-member-id.ts';
import { stopIdlePolling } from './request-queue-polling.ts';

let applied = false;

/**
 * Patches kafkajs's classes for the whole process; later calls do nothing. The patches reach into kafkajs 2.2.4, which is why that version is
 * pinned exactly. README.md has a row for each.
 */
export function applyPatches(): void {
  if (applied) return;
  applied = true;
  countRequests();
  stopIdlePolling();
  decodeFetchesInOnePass();
  patchClockSteps();
  keepConnectionsFresh();
  retryCoordinatorLookup();
  keepJoinGenerations();
  rejoinWithoutMemberId();
  reportOffsetsOutOfRange();
}

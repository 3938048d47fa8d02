import type { EventRecord } from '#lib/contract';
import type { Endpoint } from '../model/endpoint.ts';

/** Bounds of an event that is not set aside, which takes some tens of milliseconds: endpoints to look at, steps of matching. */
const quick = { endpoints: 500, steps: 100_000 };
/** Bytes of payload that count as a step: every filter may go through all of it. */
const bytesPerStep = 8;

/** Whether an event is set aside, by what is known before matching. */
export function mayTakeLong(
  { payload }: Pick<EventRecord, 'payload'>,
  candidates: Iterable<Pick<Endpoint, 'past' | 'subscription'>>,
): boolean {
  let endpoints = 0;
  let steps = 0;
  for (const { past, subscription } of candidates) {
    endpoints += 1;
    if (subscription.filter !== null || past.length > 0) steps += payload.length / bytesPerStep;
    if (endpoints > quick.endpoints || steps > quick.steps) return true;
  }
  return false;
}

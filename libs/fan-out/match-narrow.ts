/**
 * The endpoints of a narrow event: one that can be fanned out by whoever publishes it, in so little time that nobody who comes after it is held
 * up. All others are wide, and are left to the fan-out consumer. Both come to the same set, so which of them did it, and whether it is done
 * twice around a crash, makes no difference.
 *
 *   wide     because
 *   ordered    it has an ordering key: of two writers of one key, the later could overtake the earlier
 *   stale      the directory has not been read for a while; it is not waited for
 *   endpoints  it may belong to many, or belongs to more than a set in a header takes
 *   bytes      its deliveries are many bytes together
 *   filters    they would take more steps than there are for one event, or for what is published at once; or its payload is encoded
 */
import { type EventRecord, maxEventSetEndpoints } from '#lib/contract';
import { judgedPayload } from '#lib/event-filter';
import { type EndpointDirectory, isFresh } from './endpoint-directory.ts';
import { subscribed } from './match-endpoints.ts';
import type { Subscriber } from './subscriber.ts';

export const wideReasons = ['ordered', 'stale', 'endpoints', 'bytes', 'filters'] as const;
export type WideReason = (typeof wideReasons)[number];

/** Steps that are left for what is published at once; spent by `MatchNarrow`. */
export interface StepBudget {
  stepsLeft: number;
}

/** About 10 ms of one core. */
export const createStepBudget = (): StepBudget => ({ stepsLeft: 100_000 });

/** Ids of endpoints, in their order. */
export type MatchNarrow = (event: EventRecord, budget: StepBudget) => { endpointIds: string[] } | { wide: WideReason };

type Directory = Pick<EndpointDirectory, 'fewCandidates' | 'ageMs'>;

/** Looked at for one event: types and sources of these are compared, and what they were when it was received. */
const maxCandidates = 64;
const maxBytes = 512 * 1024;
/** About 1 ms of one core. */
const maxSteps = 10_000;
/** Parsing takes as long as a step for so many. */
const bytesPerStep = 8;

/** @param maxEndpoints an event for more of them is wide; 0: every event is */
export function createMatchNarrow(directory: Directory, maxEndpoints: number): MatchNarrow {
  return (event, budget) => {
    if (maxEndpoints === 0) return { wide: 'endpoints' };
    if (event.ordering_key !== null) return { wide: 'ordered' };
    if (!isFresh(directory)) return { wide: 'stale' };
    const candidates = directory.fewCandidates(event, maxCandidates);
    if (candidates === undefined) return { wide: 'endpoints' };
    const endpointIds = takersOf(event, candidates, budget);
    if (endpointIds === undefined) return { wide: 'filters' };
    if (endpointIds.length > Math.min(maxEndpoints, maxEventSetEndpoints)) return { wide: 'endpoints' };
    if (event.payload.length * Math.max(1, endpointIds.length) > maxBytes) return { wide: 'bytes' };
    return { endpointIds: endpointIds.sort() };
  };
}

/** Undefined if so few steps do not decide it. What they do decide is what `matchEndpoints`, which has more of them, decides. */
function takersOf(event: EventRecord, candidates: Iterable<Subscriber>, budget: StepBudget): string[] | undefined {
  const payload = judgedPayload(event.payload);
  let stepsLeft = Math.min(maxSteps, budget.stepsLeft);
  const spend = (steps: number): void => {
    stepsLeft -= steps;
    budget.stepsLeft -= steps;
  };
  let isParsed = false;
  const takers: string[] = [];
  for (const { id, filter } of subscribed(event, candidates)) {
    if (filter === null) {
      takers.push(id);
      continue;
    }
    if (!isParsed) {
      const steps = payload.bytes / bytesPerStep;
      if (event.content_encoding !== null || steps > stepsLeft) return undefined;
      spend(steps);
      isParsed = true;
    }
    const { takes, steps, unjudged } = filter(payload, stepsLeft);
    spend(steps);
    if (unjudged !== undefined) return undefined;
    if (takes) takers.push(id);
  }
  return takers;
}

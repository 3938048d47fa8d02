/**
 * The endpoints of a narrow event: one that its publisher can fan out itself, fast enough to delay nobody. All other events are wide, and
 * are left to the fan-out consumer. Both give the same set, so it doesn't matter which of them did it, or if it was done twice around a
 * crash. One whose webhook goes round in a loop (libs/contract/trail.ts) goes to no endpoint.
 *
 *   wide     because
 *   ordered    it has an ordering key: of two writers of one key, the later could overtake the earlier
 *   stale      the directory can't be read in time; no longer than that is waited for it
 *   endpoints  it may belong to many endpoints, or belongs to more than a set in a header can hold
 *   bytes      its deliveries have too many bytes together
 *   filters    they would exceed the steps of one event, or of one publication; or its payload is encoded
 */
import { type EventRecord, isLooped, maxEventSetEndpoints, type PassHeaders } from '#lib/contract';
import { matchedPayload } from '#lib/event-filter';
import type { EndpointDirectory } from './endpoint-directory.ts';
import { subscribed } from './match-endpoints.ts';
import type { Subscriber } from './subscriber.ts';

export const wideReasons = ['ordered', 'stale', 'endpoints', 'bytes', 'filters'] as const;
export type WideReason = (typeof wideReasons)[number];

/** Steps left for events published together; `MatchNarrow` spends them. */
export interface StepBudget {
  stepsLeft: number;
}

/** About 10 ms of one core. */
export const createStepBudget = (): StepBudget => ({ stepsLeft: 100_000 });

export interface Narrow {
  /** In their order. */
  endpointIds: string[];
  /** The rules of those that get headers of the provider; undefined for none. */
  passHeaders?: ReadonlyMap<string, PassHeaders>;
}

type Match = Narrow | { wide: WideReason };

/** A promise only where the directory has to be read first: never for an event with an ordering key, whose publisher must not wait. */
export type MatchNarrow = (event: EventRecord, budget: StepBudget) => Match | Promise<Match>;

type Directory = Pick<EndpointDirectory, 'fewCandidates' | 'readFor'>;

/** Candidates checked for one event: types and sources, as of its receipt. */
const maxCandidates = 64;
const maxBytes = 512 * 1024;
/** About 1 ms of one core. */
const maxSteps = 10_000;
/** Parsing takes as long as a step for so many. */
const bytesPerStep = 8;

/** @param maxEndpoints an event for more endpoints is wide; 0: every event is */
export function createMatchNarrow(directory: Directory, maxEndpoints: number): MatchNarrow {
  function matchKnown(event: EventRecord, budget: StepBudget): Match {
    const candidates = directory.fewCandidates(event, maxCandidates);
    if (candidates === undefined) return { wide: 'endpoints' };
    const takers = takersOf(event, candidates, budget);
    if (takers === undefined) return { wide: 'filters' };
    if (takers.length > Math.min(maxEndpoints, maxEventSetEndpoints)) return { wide: 'endpoints' };
    if (event.payload.length * Math.max(1, takers.length) > maxBytes) return { wide: 'bytes' };
    const passHeaders = rulesOf(takers);
    return { endpointIds: takers.map(({ id }) => id).sort(), ...(passHeaders && { passHeaders }) };
  }

  const matchIfRead = (event: EventRecord, budget: StepBudget, isRead: boolean): Match =>
    isRead ? matchKnown(event, budget) : { wide: 'stale' };

  return (event, budget) => {
    // Whatever else it is: nothing is sent, and an older fan-out consumer, which would send, passes it over.
    if (isLooped(event)) return { endpointIds: [] };
    if (maxEndpoints === 0) return { wide: 'endpoints' };
    if (event.ordering_key !== null) return { wide: 'ordered' };
    const reading = directory.readFor(event);
    if (typeof reading === 'boolean') return matchIfRead(event, budget, reading);
    return reading.then((isRead) => matchIfRead(event, budget, isRead));
  };
}

function rulesOf(takers: readonly Subscriber[]): ReadonlyMap<string, PassHeaders> | undefined {
  let rules: Map<string, PassHeaders> | undefined;
  for (const { id, passHeaders } of takers) if (passHeaders !== undefined) (rules ??= new Map()).set(id, passHeaders);
  return rules;
}

/** Undefined if the budget is too small to decide. A decision is the same as that of `matchEndpoints`, whose budget is larger. */
function takersOf(event: EventRecord, candidates: Iterable<Subscriber>, budget: StepBudget): Subscriber[] | undefined {
  const payload = matchedPayload(event.payload, event.content_type);
  let stepsLeft = Math.min(maxSteps, budget.stepsLeft);
  const spend = (steps: number): void => {
    stepsLeft -= steps;
    budget.stepsLeft -= steps;
  };
  let isParsed = false;
  const takers: Subscriber[] = [];
  for (const { filter, endpoint } of subscribed(event, candidates)) {
    if (filter === null) {
      takers.push(endpoint);
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
    if (takes) takers.push(endpoint);
  }
  return takers;
}

/**
 * Finds the endpoints whose filters take an event's payload, within limits: `maxFilterSteps` per filter, `maxEventSteps` for all of them,
 * in the order of endpoint ids. Above a limit, an endpoint gets the event without its filter: no webhook is lost, and its owner sees it.
 *
 * The result depends on payload, ids and filters only, in any order: a repeated fan-out gives the same set, and a replay matches as the
 * event did.
 */
import { type EventFilter, maxFilterSteps } from './compile-filter.ts';
import { decodedPayload } from './decoded-payload.ts';
import type { MatchTurns } from './match-turns.ts';
import type { MatchedPayload } from './matched-payload.ts';

/** 10,000 endpoints with a filter of a hundred steps, some 25 conditions on single values; about 0.1 s of one core. */
export const maxEventSteps = 1_000_000;
/** Parsing takes as long as a step for so many. */
export const bytesPerStep = 8;

/** Why an endpoint gets an event without its filter: the payload can't be parsed, or the steps are used up. */
export type UnjudgedReason = 'payload' | 'filter_steps' | 'event_steps';

export interface Candidate {
  id: string;
  /** Null: every payload. */
  filter: EventFilter | null;
}

interface Matched {
  tenant: string;
  /** The payload as received. */
  bytes: Buffer;
  contentType: string;
  contentEncoding: string | null;
  turns: MatchTurns;
}

export interface Taker<C> {
  candidate: C;
  unjudged?: UnjudgedReason;
}

/** Told of every candidate, in the order of their ids. */
interface Verdicts<C> {
  takes(taker: Taker<C>): void;
  /** Its filter has refused the payload. @returns the steps that it has spent itself */
  refuses?(candidate: C, payload: MatchedPayload): number;
}

/** @returns the candidates that take the payload, in the order of their ids */
export async function matchInTurns<C extends Candidate>(
  candidates: Iterable<C>,
  matched: Matched,
): Promise<Taker<C>[]> {
  const takers: Taker<C>[] = [];
  await matchEach(candidates, matched, maxEventSteps, { takes: (taker) => void takers.push(taker) });
  return takers;
}

/**
 * The same for some of an event's candidates, with what those before them have left of its steps.
 *
 * @returns the steps that are left
 */
export async function matchEach<C extends Candidate>(
  candidates: Iterable<C>,
  { tenant, bytes, turns, ...form }: Matched,
  givenSteps: number,
  { takes: tell, refuses = () => 0 }: Verdicts<C>,
): Promise<number> {
  let payload: MatchedPayload | undefined;
  let stepsLeft = givenSteps;
  for (const candidate of inOrder(candidates)) {
    const wait = turns.wait(tenant);
    if (wait !== undefined) await wait;
    if (candidate.filter === null) {
      tell({ candidate });
      turns.spend(1);
    } else if (stepsLeft === 0) {
      tell({ candidate, unjudged: 'event_steps' });
      turns.spend(1);
    } else {
      if (payload === undefined) {
        payload = await decodedPayload(bytes, form);
        payload.content();
        turns.spend(payload.bytes / bytesPerStep);
        const wait = turns.wait(tenant);
        if (wait !== undefined) await wait;
      }
      const { takes, steps, unjudged } = candidate.filter(payload, stepsLeft);
      stepsLeft -= steps;
      turns.spend(1 + steps);
      if (takes) tell({ candidate, ...(unjudged && { unjudged: reasonOf(unjudged, stepsLeft + steps) }) });
      else turns.spend(refuses(candidate, payload));
    }
  }
  return stepsLeft;
}

const reasonOf = (unjudged: 'payload' | 'steps', stepsLeft: number): UnjudgedReason => {
  if (unjudged === 'payload') return 'payload';
  return stepsLeft < maxFilterSteps ? 'event_steps' : 'filter_steps';
};

const inOrder = <C extends Candidate>(candidates: Iterable<C>): C[] =>
  [...candidates].sort(({ id: a }, { id: b }) => (a < b ? -1 : a > b ? 1 : 0));

import { isSubscribed } from '#lib/contract';
import {
  compileFilter,
  type EventFilter,
  matchInTurns,
  type MatchTurns,
  problemsOfFilter,
  type Taker,
} from '#lib/event-filter';
import type { Query } from '#lib/postgres';
import { subscriptionsAfter } from '../endpoints/index.ts';

interface Event {
  tenant: string;
  type: string;
  source_id: string;
  body: Buffer;
  content_type: string;
  content_encoding: string | null;
}

interface Candidate {
  id: string;
  filter: EventFilter | null;
}

/** A filter of the largest size is checked and compiled in the time of so many steps. */
const stepsToCompile = 2_000;

/** The endpoints that get such an event today: matched as fan-out does it, and within the same bounds. */
export async function eventTakers(
  postgres: Query,
  { tenant, type, source_id, body, content_type: contentType, content_encoding: contentEncoding }: Event,
  turns: MatchTurns,
): Promise<Taker<Candidate>[]> {
  const candidates: Candidate[] = [];
  for (let after = ''; ;) {
    const page = await subscriptionsAfter(postgres, tenant, after);
    for (const { id, event_types: eventTypes, source_ids: sourceIds, filter } of page) {
      const wait = turns.wait(tenant);
      if (wait !== undefined) await wait;
      turns.spend(filter === null ? 1 : stepsToCompile);
      if (isSubscribed({ eventTypes, sourceIds }, { type, source_id }))
        candidates.push({ id, filter: compiled(filter) });
    }
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.id;
  }
  return matchInTurns(candidates, { tenant, bytes: body, contentType, contentEncoding, turns });
}

/** An unusable filter takes everything, as in fan-out. */
const compiled = (filter: unknown): EventFilter | null =>
  filter === null || problemsOfFilter(filter).length > 0 ? null : compileFilter(filter);

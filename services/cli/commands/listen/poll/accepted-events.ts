import type { Clock } from '#lib/clock';
import { isSubscribed } from '#lib/contract';
import type { Api } from '../../../api-calls/connect.ts';
import { followChanges } from '../../events/follow-changes.ts';

/** The members of an event that are read; one that was erased has no type. */
interface Listed {
  id: string;
  type?: string;
  source_id?: string;
  received_at: string;
}

export interface Accepted extends Listed {
  type: string;
  source_id: string;
}

interface AcceptedOptions {
  types: readonly string[];
  /** RFC 3339; default: now. */
  since: string | undefined;
  clock: Clock;
  /** @param fromMs events accepted from then on are yielded */
  onBegin(fromMs: number): void;
}

/** Ids are some 30 characters: 10 MB. */
const maxKnown = 100_000;

/**
 * Yields every event of these types that is accepted from the beginning on, once, without end. The API lists an event again at each of its
 * changes; an older one that changes now was accepted before.
 */
export async function* acceptedEvents(
  api: Pick<Api, 'page'>,
  { types, since, clock, onBegin }: AcceptedOptions,
): AsyncGenerator<Accepted, never> {
  const known = new Set<string>();
  const fromMs = since === undefined ? await timeOf(api, clock) : Date.parse(since);
  const subscription = { eventTypes: types, sourceIds: [] };
  for await (const event of followChanges<Listed>(api, { query: {}, since, clock, onBegin: () => onBegin(fromMs) })) {
    if (!isWhole(event) || Date.parse(event.received_at) < fromMs || known.has(event.id)) continue;
    if (!isSubscribed(subscription, event)) continue;
    known.add(event.id);
    const [oldest] = known;
    if (known.size > maxKnown && oldest !== undefined) known.delete(oldest);
    yield event;
  }
  throw new Error('the changes have ended');
}

const isWhole = (event: Listed): event is Accepted => event.type !== undefined && event.source_id !== undefined;

/** The time at the API, to the second: the clock of this machine may be another. */
async function timeOf(api: Pick<Api, 'page'>, clock: Clock): Promise<number> {
  const { answeredAtMs } = await api.page('/events?limit=2&updated_at_gte=9999-12-31T23:59:59Z');
  return answeredAtMs ?? clock.nowMs();
}

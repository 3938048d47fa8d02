import { html, type Html } from '#lib/html';
import { withQuery } from '../api-calls/paths.ts';
import type { Endpoint } from '../routes/endpoints/endpoint.ts';
import { time } from './time.ts';

/** The time, and after it a countdown by islands/counts-from.ts. */
export const countsFrom = ({ effective_at: effectiveAt }: Pick<Endpoint, 'effective_at'>): Html =>
  html`${time(effectiveAt)}<span data-counts-from="${effectiveAt}" aria-live="off"></span>`;

/** The preview of a replay, to the endpoint alone, of the events that came since its creation and before it counted. */
export const missedHref = (
  t: string,
  { id, created_at, effective_at }: Pick<Endpoint, 'id' | 'created_at' | 'effective_at'>,
): string =>
  withQuery(`${t}/replays/new`, {
    what: 'events',
    to_endpoint: id,
    received_since: created_at,
    received_until: effective_at,
  });

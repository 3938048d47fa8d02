/**
 * Tenants whose changes somebody waits for: their records are projected at once, while others gather (services/projector/awaited.ts). It is said
 * by NOTIFY, to all projectors, and holds for a time; whoever goes on waiting says it again before that. One that is lost delays what is
 * waited for by as long as records gather, until it is said again.
 */
import type { Statement } from './statement.ts';

export const awaitedChannel = 'hookline_awaited';

/** Names all tenants. */
export const everyTenant = '';

/** How long a projector remembers a tenant, and how often whoever waits longer says so: two may be lost on the way. */
export const awaitedForMs = 10_000;
export const awaitedAgainMs = 4_000;

/** A list of names is what each projector has to read. */
const maxNamed = 500;

export const announceAwaited: Statement<{ tenant: string }> = {
  name: 'announce-awaited',
  columns: ['tenant'],
  text: `SELECT pg_notify('${awaitedChannel}', tenant) FROM unnest($1::text[]) AS t (tenant)`,
};

export const awaitedRows = (tenants: readonly string[]): { tenant: string }[] =>
  (tenants.length > maxNamed ? [everyTenant] : tenants).map((tenant) => ({ tenant }));

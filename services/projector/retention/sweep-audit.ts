/** Removes what of sessions, portal links and the audit is past its time: all go by their own times, and nothing else needs them. */
import type { Query } from '#lib/postgres';
import { formatMicros } from '#lib/runtime';
import { type Paced, sweepRows } from './sweep-rows.ts';

const dayMicros = 24 * 3600 * 1_000_000;
/** A year, and a month to look back at it. */
const auditDays = 400;
/** Whoever asks about a session that has just ended is told that it is gone. */
const endedSessionDays = 1;

/** Whoever opens an old link is told that it is gone. */
const endedLinkDays = 30;

const text = (column: string) => ({ column, type: 'text' as const });
const time = (column: string) => ({ column, type: 'timestamptz' as const });

/** Entries older than 400 days. @returns how many were removed */
export const sweepAudit = (postgres: Query, now: number, paced: Paced): Promise<number> =>
  sweepOlder(postgres, 'audit', 'at', now - auditDays * dayMicros, paced);

/** Sessions past their latest end, whether they ended earlier or not. @returns how many were removed */
export const sweepSessions = (postgres: Query, now: number, paced: Paced): Promise<number> =>
  sweepOlder(postgres, 'sessions', 'expires_at', now - endedSessionDays * dayMicros, paced);

/** Portal links 30 days after their end, redeemed or not. @returns how many were removed */
export const sweepPortalLinks = (postgres: Query, now: number, paced: Paced): Promise<number> =>
  sweepOlder(postgres, 'portal_links', 'expires_at', now - endedLinkDays * dayMicros, paced);

const sweepOlder = (postgres: Query, table: string, column: string, before: number, paced: Paced): Promise<number> =>
  sweepRows(
    postgres,
    {
      table,
      key: [time(column), text('tenant'), text('id')],
      columns: [],
      within: `${column} < $1::timestamptz`,
      removable: `r.${column} < $1::timestamptz`,
      values: [formatMicros(before)],
    },
    paced,
  );

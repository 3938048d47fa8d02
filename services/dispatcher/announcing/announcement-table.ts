import { operationalEventTypes } from '#lib/contract';
import type { Query } from '#lib/postgres';
import type { Announcement } from './announced-payload.ts';

export interface AnnouncementTable {
  /** Announcements that are due, tenants in turns; not those of types that only a later version knows. For a minute, nobody else claims them. */
  claim(): Promise<Announcement[]>;
  remove(announcements: readonly Announcement[]): Promise<void>;
  /** Removes those that could not be published for a week. @returns how many */
  sweep(): Promise<number>;
}

const maxClaimed = 50;
const claimSeconds = 60;
const keptDays = 7;
const maxSwept = 1_000;

const claimSql = `
  UPDATE announcements AS claimed SET claimed_until = clock_timestamp() + interval '${claimSeconds} seconds'
    FROM (
      SELECT ctid AS place
        FROM announcements
       WHERE (tenant, type, subject, episode) IN (
         SELECT tenant, type, subject, episode
           FROM (
             SELECT tenant, type, subject, episode, due_at,
                    row_number() OVER (PARTITION BY tenant ORDER BY due_at, type, subject) AS turn
               FROM announcements
              WHERE due_at <= clock_timestamp() AND claimed_until < clock_timestamp() AND type = ANY ($1)) AS due
          ORDER BY turn, due_at
          LIMIT ${maxClaimed})
         AND claimed_until < clock_timestamp()
         FOR UPDATE SKIP LOCKED) AS free
   WHERE claimed.ctid = free.place
  RETURNING tenant, type, subject, episode, facts, due_at`;

export const createAnnouncementTable = (postgres: Query): AnnouncementTable => ({
  claim: () => postgres.query<Announcement>(claimSql, [operationalEventTypes]),
  async remove(announcements) {
    const column = (name: 'tenant' | 'type' | 'subject' | 'episode') => announcements.map((each) => each[name]);
    await postgres.query(
      `DELETE FROM announcements
        WHERE (tenant, type, subject, episode) IN (SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]))`,
      [column('tenant'), column('type'), column('subject'), column('episode')],
    );
  },
  async sweep() {
    const swept = await postgres.query(
      `DELETE FROM announcements
        WHERE ctid IN (SELECT ctid FROM announcements
                        WHERE due_at < clock_timestamp() - interval '${keptDays} days'
                        LIMIT ${maxSwept} FOR UPDATE SKIP LOCKED)
       RETURNING 1 AS swept`,
    );
    return swept.length;
  },
});

import { createPostgres } from '#lib/postgres';
import { silentLogger } from '#lib/runtime';

/** Questions that the run asks the tables directly, because it is cheap there. */
export interface Tables {
  /** Events of the sources, by whether they have ended. */
  events(sourceIds: readonly string[]): Promise<{ ended: number; open: number }>;
  waiting(endpointIds: readonly string[]): Promise<number>;
  /** Dead letters of the dispatcher. */
  deadLetters(endpointIds: readonly string[]): Promise<number>;
  close(): Promise<void>;
}

export async function openTables(url: string): Promise<Tables> {
  const postgres = createPostgres({
    url,
    applicationName: 'delivering-run',
    maxConnections: 1,
    statementTimeoutMs: 30_000,
    log: silentLogger,
  });
  await postgres.start();
  const count = async (text: string, value: unknown): Promise<number> =>
    (await postgres.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${text}`, [value]))[0]?.n ?? 0;
  return {
    async events(sourceIds) {
      const [counts] = await postgres.query<{ ended: number; open: number }>(
        `SELECT count(*) FILTER (WHERE has_ended)::int AS ended, count(*) FILTER (WHERE NOT has_ended)::int AS open
           FROM (SELECT status IN ('completed', 'dead_lettered') AS has_ended FROM events WHERE source_id = ANY ($1::text[])) AS of_sources`,
        [sourceIds],
      );
      return counts ?? { ended: 0, open: 0 };
    },
    waiting: (endpointIds) => count('waiting WHERE endpoint_id = ANY ($1::text[])', endpointIds),
    deadLetters: (endpointIds) =>
      count(`dead_letters WHERE stage = 'dispatcher' AND endpoint_id = ANY ($1::text[])`, endpointIds),
    close: () => postgres.stop(),
  };
}

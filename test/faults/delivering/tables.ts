import { createPostgres } from '#lib/postgres';
import { silentLogger } from '#lib/runtime';

/** Questions that the run asks the tables directly, because it is cheap there. */
export interface Tables {
  /** Events of the source, by whether they have ended. */
  events(sourceId: string): Promise<{ ended: number; open: number }>;
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
  const ended = `status IN ('completed', 'dead_lettered')`;
  return {
    events: async (sourceId) => ({
      ended: await count(`events WHERE source_id = $1 AND ${ended}`, sourceId),
      open: await count(`events WHERE source_id = $1 AND NOT ${ended}`, sourceId),
    }),
    waiting: (endpointIds) => count('waiting WHERE endpoint_id = ANY ($1::text[])', endpointIds),
    deadLetters: (endpointIds) =>
      count(`dead_letters WHERE stage = 'dispatcher' AND endpoint_id = ANY ($1::text[])`, endpointIds),
    close: () => postgres.stop(),
  };
}

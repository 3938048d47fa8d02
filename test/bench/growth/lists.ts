import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { createWorld } from '../../integration/dispatcher/world.ts';
import { fillLists, listStartMs, listTenant } from '../../support/fill-lists.ts';
import { withDatabase } from '../../support/with-database.ts';
import { adminKey, authorization } from '../longpoll/keys.ts';
import { processorSeconds, processorSecondsOfFamily } from '../support/processor-seconds.ts';
import { serverPids } from '../support/server-pids.ts';
import { growthBench } from './growth-bench.ts';

/** @param n the event that was received then */
function at(n: number): string {
  return new Date(listStartMs + n).toISOString();
}

/** Each finds something; values are as frequent, or as rare, whatever the number of events. */
const queriesOf = (events: number): readonly string[] => [
  'events?order=desc',
  'events?order=desc&type=frequent',
  'events?order=desc&type=rare',
  'events?order=desc&source_id=src_rare',
  'events?order=desc&endpoint_id=ep_frequent',
  'events?order=desc&endpoint_id=ep_rare',
  'events?order=desc&ordering_key=key_7',
  'events?order=desc&event_id=theirs_77',
  'events?order=desc&receipt_id=rcp_77',
  'events?order=desc&tag=name:frequent',
  'events?order=desc&tag=name:rare',
  'events?order=desc&tag=name:rare&type=frequent',
  `events?order=desc&trace_id=${'101'.padStart(32, '0')}`,
  'events?order=desc&has=duplicates',
  'events?order=desc&has=changed',
  'events?order=desc&has=dead_letters&status=dead_lettered',
  'events?order=desc&status=received',
  `events?order=desc&received_since=${at(77)}&received_until=${at(99)}`,
  'events?type=rare',
  'events?endpoint_id=ep_rare',
  'events?tag=name:rare',
  'events?has=changed',
  'events?status=received',
  `events?received_since=${at(77)}&received_until=${at(99)}`,
  'deliveries?',
  'deliveries?endpoint_id=ep_frequent',
  'deliveries?endpoint_id=ep_frequent&status=dead_lettered',
  'deliveries?status=dead_lettered&order=asc',
  'deliveries?outcome=http_5xx',
  'deliveries?http_status=503',
  'deliveries?event_type=rare',
  `deliveries?since=${at(events - 99)}&until=${at(events - 77)}`,
];

export const listsBench = growthBench({
  name: 'lists',
  of: 'events',
  unit: 'µs of api and Postgres a page',
  small: 10_000,
  between: [100_000, 1_000_000],
  large: 10_000_000,
  turns: 2,
  numbers: { rounds: 50, limit: 20 },
  setUp: `one api process; ${queriesOf(0).length} queries in turn, for the newest events and deliveries by each filter, and for polls`,
  begin: async ({ rounds, limit }) => ({
    async costAt(events, turn) {
      const world = await createWorld(`lists-${turn}`);
      try {
        await withDatabase(world.databaseUrl, (postgres) => fillLists(postgres, events));
        const [port = 0] = await freePorts(1);
        const api = await world.spawnService('api', {
          HOOKLINE_ADMIN_KEY: adminKey,
          HOOKLINE_API_PORT: String(port),
          HOOKLINE_LOG_LEVEL: 'warn',
        });
        await api.ready(30_000);
        const spent = () => ({
          api: processorSeconds(api.pid),
          postgres: processorSecondsOfFamily(serverPids().postgres),
        });
        const queries = queriesOf(events);
        const slowest = new Map<string, number>();
        const ask = async (query: string): Promise<void> => {
          const askedAtMs = performance.now();
          await pageOf(port, query, limit);
          slowest.set(query, Math.max(slowest.get(query) ?? 0, performance.now() - askedAtMs));
        };
        for (const query of queries) for (let warmUp = 0; warmUp < 5; warmUp += 1) await ask(query);
        slowest.clear();
        const before = spent();
        for (let round = 0; round < rounds; round += 1) for (const query of queries) await ask(query);
        const after = spent();
        const pages = rounds * queries.length;
        const ofApi = ((after.api - before.api) * 1e6) / pages;
        const ofPostgres = ((after.postgres - before.postgres) * 1e6) / pages;
        const [query = '', ms = 0] = [...slowest].sort(([, a], [, b]) => b - a)[0] ?? [];
        return {
          each: ofApi + ofPostgres,
          counted: `api ${ofApi.toFixed()}, Postgres ${ofPostgres.toFixed()}; the slowest page ${ms.toFixed()} ms, of ${query}`,
        };
      } finally {
        await world.stop();
      }
    },
    end: async () => undefined,
  }),
});

/** @throws Error where nothing is found */
async function pageOf(port: number, query: string, limit: number): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/${query}&limit=${limit}`, {
    headers: { authorization, 'hookline-tenant': listTenant },
  });
  const found = (await answer.json()) as object[];
  if (answer.status !== 200 || found.length === 0) throw new Error(`${query}: ${answer.status}, ${found.length} found`);
}

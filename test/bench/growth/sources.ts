import { createApiClient } from '../../support/api-client.ts';
import { type LoadSource, runLoad } from '../../support/load/load.ts';
import { createPipeline } from '../../support/pipeline.ts';
import { createDatabase, serverAddresses, uniquePrefix } from '../../support/servers.ts';
import { costOf } from '../receiving/cost-of.ts';
import { growthBench } from './growth-bench.ts';

const warmUpSeconds = 5;
const createAtOnce = 20;

export const sourcesBench = growthBench({
  name: 'sources',
  of: 'sources',
  unit: 'µs of the ingress a webhook',
  small: 1,
  between: [10, 100],
  large: 1_000,
  turns: 3,
  numbers: { seconds: 10, connections: 64, bytes: 2_048 },
  setUp: 'one ingress, senders that send the next when the last is answered, to all sources in turn',
  async begin({ seconds, connections, bytes }) {
    const pipeline = await createPipeline({
      servers: serverAddresses(),
      topicPrefix: uniquePrefix('sources'),
      databaseUrl: await createDatabase(),
      services: ['ingress', 'api'],
      env: { HOOKLINE_LOG_LEVEL: 'warn' },
    });
    await pipeline.start();
    const { apiUrl, adminKey, ingressUrl } = pipeline.stack;
    const api = createApiClient({ url: apiUrl, adminKey });
    const sources: LoadSource[] = [];
    const load = (name: string, count: number, forSeconds: number) =>
      runLoad([
        {
          name,
          ingressUrl,
          sources: sources.slice(0, count),
          perSecond: undefined,
          seconds: forSeconds,
          connections,
          bodyBytes: bytes,
        },
      ]);
    return {
      async costAt(count, turn) {
        while (sources.length < count)
          sources.push(
            ...(await Promise.all(
              Array.from({ length: Math.min(createAtOnce, count - sources.length) }, () =>
                api.createSource({ name: 'bench', scheme: 'hookline' }),
              ),
            )),
          );
        await load(`warm-up-${turn}`, count, warmUpSeconds);
        const pid = pipeline.processIds()['ingress'] ?? 0;
        return { each: (await costOf(pid, () => load(`turn-${turn}`, count, seconds))).microsEach };
      },
      end: async () => void (await pipeline.stop()),
    };
  },
});

import type { Exit } from '../support/service-process.ts';
import { seededRandom, shuffled } from '../support/seeded-random.ts';
import { serviceNames } from '../support/stack.ts';
import { githubPayloads } from './github-payloads.ts';
import { type OwnPipeline, startOwnPipeline } from './own-pipeline.ts';
import { prepareWebhookRun, slowerTowardsTheEnd, type WebhookRun } from './webhook-run.ts';

const seed = 15;
/** Webhooks come until the last service has been restarted; the rest is sent without a pace. */
const perSecond = slowerTowardsTheEnd(15);
/** The services' own limit for their shutdown. */
const deadlineMs = 20_000;

describe('SIGTERM under load', () => {
  let pipeline: OwnPipeline;
  let run: WebhookRun;
  const random = seededRandom(seed);

  beforeAll(async () => {
    pipeline = await startOwnPipeline({ services: serviceNames });
    run = await prepareWebhookRun(pipeline.stack, {
      scheme: 'github',
      random,
      exclusive: true,
      faults: pipeline.faults,
    });
  });
  afterAll(async () => {
    await run?.close();
    await pipeline?.close();
  });

  it('ends each service with 0 within its deadline, and nothing is lost or repeated', () =>
    pipeline.explain(async () => {
      const payloads = githubPayloads(run.source.secret, random);
      const exits: { service: string; exit: Exit; tookMs: number }[] = [];
      const restartEach = async (): Promise<void> => {
        for (const service of serviceNames) {
          const startMs = performance.now();
          const exit = await pipeline.stopService(service);
          exits.push({ service, exit, tookMs: performance.now() - startMs });
          await pipeline.startService(service);
        }
      };
      const restarting = restartEach();
      await Promise.all([restarting, run.sendAll(shuffled([...payloads, ...payloads], random), perSecond, restarting)]);

      expect(exits.map(({ service, exit }) => [service, exit.code])).toEqual(serviceNames.map((name) => [name, 0]));
      expect(Math.max(...exits.map(({ tookMs }) => tookMs))).toBeLessThan(deadlineMs);
      const lastSentAtMs = Math.max(...run.sender.log.map(({ startedAtMs }) => startedAtMs));
      expect(Math.max(...exits.map(({ exit }) => exit.atMs))).toBeLessThan(lastSentAtMs);
      const { text, tally } = await run.check(60_000);
      console.log(`seed ${seed}\n${text}`);
      expect(tally).toEqual({});
    }));
});

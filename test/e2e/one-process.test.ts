import type { Fault } from '../faults/checker/history.ts';
import { seededRandom, shuffled } from '../support/seeded-random.ts';
import { type ServiceName, serviceNames } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';
import { githubPayloads } from './github-payloads.ts';
import { type OwnPipeline, startOwnPipeline } from './own-pipeline.ts';
import { prepareWebhookRun, slowerTowardsTheEnd, type WebhookRun } from './webhook-run.ts';

const seed = 24;
/** Webhooks come until the last thing has happened; the rest is sent without a pace. */
const perSecond = slowerTowardsTheEnd(10);
/** Until what was begun before a failure has been done again. */
const settlingMs = 5_000;
/** After a failure a service is not ready for a second and longer. */
const lookEveryMs = 50;

describe('all services in one process', () => {
  let pipeline: OwnPipeline;
  let run: WebhookRun;
  /** The pipeline's are added once they are known. */
  const faults: Fault[] = [];
  const random = seededRandom(seed);

  beforeAll(async () => {
    pipeline = await startOwnPipeline({
      services: serviceNames,
      processes: 'one',
      serveWith: 'test/support/serve-and-fail.ts',
    });
    run = await prepareWebhookRun(pipeline.stack, { scheme: 'github', random, exclusive: true, faults });
  });
  afterAll(async () => {
    await run?.close();
    await pipeline?.close();
  });

  const isReady = async (name: ServiceName): Promise<boolean> =>
    (await fetch(pipeline.metricsUrl(name).replace('/metrics', '/readyz')).catch(() => undefined))?.status === 200;
  const pids = (): Set<number> => new Set(Object.values(pipeline.processIds()));

  /** @returns whether it was seen to be not ready while all others were; resolves when all are again */
  async function failNext(name: ServiceName): Promise<boolean> {
    const fault: Fault = { what: `${name} fails`, service: name, atMs: Date.now(), settledAtMs: Infinity };
    faults.push(fault);
    let hasFailed = false;
    let wasAlone = false;
    for (const pid of pids()) process.kill(pid, 'SIGUSR2');
    await waitUntil(
      `${name} has failed and all are ready again`,
      async () => {
        const states = await Promise.all(serviceNames.map(async (each) => [each, await isReady(each)] as const));
        const unready = states.filter(([, ready]) => !ready).map(([each]) => each);
        if (unready.includes(name)) hasFailed = true;
        if (unready.includes(name) && unready.length === 1) wasAlone = true;
        return hasFailed && unready.length === 0;
      },
      { everyMs: lookEveryMs },
    );
    fault.settledAtMs = Date.now() + settlingMs;
    return wasAlone;
  }

  it('take webhooks through, each rebuilt alone when it fails, all of them back after a kill, nothing lost or repeated without a reason', () =>
    pipeline.explain(async () => {
      const [first] = pids();
      expect(pids().size).toBe(1);
      const failedAlone: ServiceName[] = [];
      const disturb = async (): Promise<void> => {
        for (const name of serviceNames) if (await failNext(name)) failedAlone.push(name);
        expect([...pids()]).toEqual([first]);
        await pipeline.killService('api');
        const points = ['dedup.after-publish', 'dedup.before-commit'] as const;
        await pipeline.killAlong(points.map((point) => ({ point, turn: 1 })));
        faults.push(...pipeline.faults);
      };
      const payloads = githubPayloads(run.source.secret, random);
      const disturbing = disturb();
      await Promise.all([disturbing, run.sendAll(shuffled([...payloads, ...payloads], random), perSecond, disturbing)]);

      expect(failedAlone).toEqual(serviceNames);
      expect(pids().has(first ?? 0)).toBe(false);
      const { text, tally } = await run.check(90_000);
      console.log(`seed ${seed}\n${text}`);
      expect(tally).toEqual({});
      const exits = await pipeline.stop();
      expect(Object.fromEntries(serviceNames.map((name) => [name, exits[name]?.code]))).toEqual(
        Object.fromEntries(serviceNames.map((name) => [name, 0])),
      );
    }));
});

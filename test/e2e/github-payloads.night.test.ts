import { hash } from 'node:crypto';
import { seededRandom, shuffled } from '../support/seeded-random.ts';
import { githubPayloads } from './github-payloads.ts';
import { type OwnPipeline, startOwnPipeline } from './own-pipeline.ts';
import { prepareWebhookRun, type WebhookRun } from './webhook-run.ts';

const seed = 329;
const perSecond = 100;

describe('all GitHub payloads, each sent twice, through one source to two endpoints', () => {
  let pipeline: OwnPipeline;
  let run: WebhookRun;
  const random = seededRandom(seed);

  beforeAll(async () => {
    pipeline = await startOwnPipeline();
    // A busy machine may keep a receiver from answering in five seconds: then it would be sent the same again, as it should.
    const endpoint = { timeout_ms: 30_000 };
    run = await prepareWebhookRun(pipeline.stack, { scheme: 'github', random, exclusive: true, endpoint });
  });
  afterAll(async () => {
    await run?.close();
    await pipeline?.close();
  });

  it('arrive exactly once at each endpoint, byte for byte, with signatures that outside verifiers accept', () =>
    pipeline.explain(async () => {
      const payloads = githubPayloads(run.source.secret, random);
      await run.sendAll(shuffled([...payloads, ...payloads], random), perSecond);
      const { text, tally } = await run.check(60_000);
      console.log(`seed ${seed}\n${text}`);

      expect(tally).toEqual({});
      expect(run.sender.log.filter(({ outcome }) => outcome === 'ok')).toHaveLength(2 * 329);
      const arrivals = Map.groupBy(run.receiver.arrivals, ({ endpointId }) => endpointId);
      expect([...arrivals.values()].map((atOne) => atOne.map(({ bodySha256 }) => bodySha256).sort())).toEqual(
        Array(2).fill(payloads.map(({ body }) => hash('sha256', body)).sort()),
      );
      const verdicts = run.receiver.arrivals.map(({ signatures }) => signatures);
      expect(verdicts).toEqual(verdicts.map(() => ({ stripe: true, standardwebhooks: true })));
    }));
});

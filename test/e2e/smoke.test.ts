import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { smoke, type SmokeEvent } from '#deploy/local/smoke/smoke.ts';
import { nativeReceiver } from '#deploy/local/stack/stack.ts';
import { createApiClient } from '../support/api-client.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type OwnPipeline, startOwnPipeline } from './own-pipeline.ts';

describe('the smoke of a stack that has endpoints of its user', () => {
  let pipeline: OwnPipeline;
  let healthy: Receiver;
  let dir: string;

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'hookline-smoke-'));
    healthy = await startReceiver();
    pipeline = await startOwnPipeline();
  });
  afterAll(async () => {
    await pipeline?.close();
    await healthy?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  async function runSmoke(): Promise<{ said: string[]; event: SmokeEvent }> {
    const { stack } = pipeline;
    const [receiverPort = 0] = await freePorts(1);
    const said: string[] = [];
    const event = await smoke({
      apiUrl: stack.apiUrl,
      adminKey: stack.adminKey,
      kafkaPort: Number(stack.kafkaBrokers[0]?.split(':').at(-1)),
      topicPrefix: stack.topicPrefix,
      receiverPort,
      stateFile: join(dir, 'smoke.json'),
      // The servers are not this pipeline's processes: they run.
      processes: { pid: (name) => pipeline.processIds()[name] ?? process.pid, lastLogLines: () => [] },
      receiver: nativeReceiver,
      timeoutMs: 30_000,
      say: (line) => said.push(line),
    });
    return { said, event };
  }

  it('arrives beside one that is down, and goes to none of them (once: it blamed the poll API)', () =>
    pipeline.explain(async () => {
      const api = createApiClient({ url: pipeline.stack.apiUrl, adminKey: pipeline.stack.adminKey });
      const [closedPort = 0] = await freePorts(1);
      // Older than the smoke's own endpoint, so they match all events that it may get.
      await api.createEndpoint({ url: `http://127.0.0.1:${closedPort}/` });
      await api.createEndpoint({ url: healthy.url('healthy') });

      const { said, event } = await runSmoke();
      expect(said.at(-1)).toContain(`${event.id} completed`);
      expect(said.filter((line) => line.includes(' ms ')).map((line) => line.trim().split(/ {2,}/)[0])).toEqual([
        'ingress',
        'kafka',
        'dedup',
        'dispatcher',
        'poll API',
      ]);
      expect(await api.eventsSince('2026-01-01T00:00:00Z')).toEqual([]);
      expect(healthy.arrivals).toEqual([]);
    }));
});

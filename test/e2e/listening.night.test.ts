import { setTimeout as delay } from 'node:timers/promises';
import { endpointSettlingMs } from '#lib/contract';
import { generateSecret } from '#lib/signatures';
import { createApiClient } from '../support/api-client.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { pipelineServices } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';
import { askAt } from '../unit/api/ask.ts';
import { endHookline, spawnRunning } from '../unit/cli/start-hookline.ts';
import { type OwnPipeline, startOwnPipeline } from './own-pipeline.ts';

/** `hookline listen` beside a whole stack, forwarding to a receiver that others' code verifies the signatures for. */
describe('hookline listen', () => {
  let pipeline: OwnPipeline;
  let receiver: Receiver;
  let env: Record<string, string>;
  let source: { id: string; secret: string };

  beforeAll(async () => {
    receiver = await startReceiver();
    pipeline = await startOwnPipeline();
    const { apiUrl, ingressUrl, adminKey } = pipeline.stack;
    env = { HOOKLINE_API_URL: apiUrl, HOOKLINE_INGRESS_URL: ingressUrl, HOOKLINE_ADMIN_KEY: adminKey };
    source = await createApiClient({ url: apiUrl, adminKey }).createSource({ name: 'listened', scheme: 'hookline' });
  });
  afterAll(async () => {
    await endHookline();
    await pipeline?.close();
    await receiver?.stop();
  });

  const ask = (path: string) =>
    askAt(Number(new URL(pipeline.stack.apiUrl).port), {
      path: `/v1${path}`,
      headers: { authorization: `Bearer ${pipeline.stack.adminKey}` },
    });

  /** Sends webhooks one after the other; resolves with their receipts when all are accepted. */
  async function send(count: number): Promise<string[]> {
    // With the scheme it does not ask the API, which may be away.
    const options = ['--scheme', 'hookline', '--secret', source.secret, '--max-attempts', '50', '--json'];
    const command = spawnRunning(['send', source.id, '--count', String(count), ...options], env);
    expect([await command.ended, command.errors(), command.lines().length]).toEqual([0, expect.any(String), count]);
    return command.lines().map((line) => (JSON.parse(line) as { receipt_id: string }).receipt_id);
  }

  const arrivedAt = (name: string): string[] =>
    receiver.arrivals.filter(({ endpointId }) => endpointId === name).map(({ eventId }) => eventId);

  it('with --poll, forwards each event once, signed, over a restart of the whole stack and a kill of the API', () =>
    pipeline.explain(async () => {
      const secret = generateSecret();
      receiver.register('polled', { id: 'polled', secret });
      const args = ['listen', '--poll', '--forward', receiver.url('polled'), '--secret', secret];
      const command = spawnRunning(args, env);
      await command.line('polling');

      const receipts = await send(5);
      let isRestarting = true;
      const restarting = (async () => {
        for (const service of pipelineServices) await pipeline.restartService(service);
        await pipeline.killService('api');
        isRestarting = false;
      })();
      while (isRestarting) {
        receipts.push(...(await send(3)));
        await Promise.race([restarting, delay(500)]);
      }
      await restarting;
      receipts.push(...(await send(5)));

      await waitUntil('all are forwarded', () => new Set(arrivedAt('polled')).size >= receipts.length, {
        describe: () => `${arrivedAt('polled').length} of ${receipts.length}\n${command.errors()}`,
      });
      const events = (await ask('/events?limit=1000')).json<
        { id: string; receipt_id: string; deliveries: Record<string, number> }[]
      >();
      expect(events.map(({ receipt_id: receipt }) => receipt).sort()).toEqual(receipts.sort());
      expect(arrivedAt('polled').sort()).toEqual(events.map(({ id }) => id).sort());
      const arrivals = receiver.arrivals.filter(({ endpointId }) => endpointId === 'polled');
      for (const { signatures } of arrivals) expect(signatures).toMatchObject({ stripe: true, standardwebhooks: true });
      // No attempt is recorded: Hookline has delivered nothing.
      for (const { deliveries } of events) expect(Object.values(deliveries).every((count) => count === 0)).toBe(true);
      command.signal('SIGINT');
      expect(await command.ended).toBe(0);
      expect(command.lines().at(-1)).toContain(`${receipts.length} received; ${receipts.length} verified`);
    }));

  it('with an endpoint of its own, forwards deliveries, and leaves none behind', () =>
    pipeline.explain(async () => {
      const command = spawnRunning(['listen', '--forward', receiver.url('forwarded'), '--json'], env);
      const line = await command.line('"kind":"listening"');
      const made = JSON.parse(line) as { endpoint_id: string; secret: string };
      receiver.register('forwarded', { id: 'forwarded', secret: made.secret });
      await delay(endpointSettlingMs + 500);
      await send(1);
      await waitUntil('it is forwarded', () => arrivedAt('forwarded').length > 0);
      const [arrival] = receiver.arrivals.filter(({ endpointId }) => endpointId === 'forwarded');
      expect(arrival?.signatures).toMatchObject({ stripe: true, standardwebhooks: true });
      await command.line('"verified":true');
      await waitUntil('the delivery is done', async () => {
        const found = await ask(`/deliveries?endpoint_id=${made.endpoint_id}&status=delivered`);
        return found.json<object[]>().length === 1;
      });
      command.signal('SIGINT');
      expect(await command.ended).toBe(0);
      expect((await ask(`/endpoints/${made.endpoint_id}`)).status).toBe(410);
    }));
});

import { startBrowser, takeSeat } from '../support/console/browser.ts';
import { findChromium } from '../support/console/find-chromium.ts';
import { runHookline } from '../support/run-hookline.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type OwnPipeline, startOwnPipeline } from './own-pipeline.ts';

type Json = Record<string, unknown>;

const chromium = findChromium();
if ('missing' in chromium) process.stderr.write(`nothing looked at in a browser: ${chromium.missing}\n`);

/** API, command and console say of replays, recovers and tests what became of them. */
describe('what is said of an endpoint that answers 500', () => {
  let pipeline: OwnPipeline;
  let receiver: Receiver;
  const statuses = new Map<string, number>();

  beforeAll(async () => {
    receiver = await startReceiver();
    receiver.react(({ name }) => ({ status: statuses.get(name) ?? 200, body: `I am ${name}` }));
    pipeline = await startOwnPipeline({ services: ['dedup', 'dispatcher', 'projector', 'api', 'console'] });
  });
  afterAll(async () => {
    await pipeline?.close();
    await receiver?.stop();
  });

  async function ask<Body = Json>(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; body: Body }> {
    const { apiUrl, adminKey } = pipeline.stack;
    const response = await fetch(`${apiUrl}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Body };
  }

  const hookline = (...args: string[]) => {
    const { apiUrl, adminKey } = pipeline.stack;
    return runHookline([...args, '--json'], { env: { HOOKLINE_API_URL: apiUrl, HOOKLINE_ADMIN_KEY: adminKey } });
  };

  async function createEndpoint(name: string, settings: object = {}): Promise<string> {
    const retry = { base_seconds: 1, cap_seconds: 1, max_attempts: 1 };
    const { status, body } = await ask('POST', '/endpoints', {
      url: receiver.url(name),
      retry,
      event_types: [name],
      ...settings,
    });
    if (status !== 201) throw new Error(JSON.stringify(body));
    return String(body['id']);
  }

  /** Until one is sent to the endpoint, which others do not know at once. */
  async function publish(type: string, events: number): Promise<void> {
    for (let n = 0; n < events; n += 1) await ask('POST', '/events', { type, payload: { n } });
  }

  const deadLettersOf = async (id: string): Promise<Json[]> =>
    (await ask<Json[]>('GET', `/dead-letters?endpoint_id=${id}&status=dead`)).body;

  const breakerIs = async (id: string, state: string): Promise<boolean> =>
    ((await ask('GET', `/endpoints/${id}/health`)).body['breaker'] as Json | null)?.['state'] === state;

  const dead = (id: string, n: number) =>
    waitUntil(`${n} dead letters`, async () => (await deadLettersOf(id)).length === n);

  it('a recover is completed with all dead-lettered and the command exits with 1; with 3 while they wait; with 0 once they are delivered', () =>
    pipeline.explain(async () => {
      statuses.set('ill', 500);
      const id = await createEndpoint('ill', { max_in_flight: 1 });
      await new Promise((resolve) => setTimeout(resolve, 5_500));
      await publish('ill', 4);
      await dead(id, 4);

      const failed = await hookline('endpoints', 'recover', id, '--since', '1h');
      expect(JSON.parse(failed.stdout)).toMatchObject({
        status: 'completed',
        matched: 4,
        replayed: 4,
        failed: 0,
        outcome: { delivered: 0, waiting: 0, dead_lettered: 4, cancelled: 0 },
      });
      expect(failed.code).toBe(1);
      const { body: letters } = await ask<Json[]>('GET', `/dead-letters?endpoint_id=${id}&status=replayed`);
      expect(letters.map(({ replayed_delivery: delivery }) => (delivery as Json)['status'])).toEqual(
        Array.from({ length: 4 }, () => 'dead_lettered'),
      );
      const { body: health } = await ask('GET', `/endpoints/${id}/health`);
      expect(health['failures']).toMatchObject([
        { outcome: 'http_5xx', http_status: 500, attempts: 8, response_excerpt: 'I am ill' },
      ]);

      // From now on it is tried again, and not soon.
      await ask('PATCH', `/endpoints/${id}`, { retry: { base_seconds: 600, cap_seconds: 600, max_attempts: 3 } });
      await new Promise((resolve) => setTimeout(resolve, 5_500));
      const waiting = await hookline('dlq', 'replay', '--endpoint', id, '--yes', '--wait', '5');
      expect(JSON.parse(waiting.stdout)).toMatchObject({
        status: 'sent',
        replayed: 4,
        failed: 0,
        outcome: { delivered: 0, waiting: 4, dead_lettered: 0, cancelled: 0 },
      });
      expect(waiting.code).toBe(3);

      statuses.set('ill', 200);
      const well = await hookline('deliveries', 'retry', '--endpoint', id, '--status', 'retrying', '--yes');
      expect(JSON.parse(well.stdout)).toMatchObject({
        status: 'completed',
        outcome: { delivered: 4, dead_lettered: 0 },
      });
      expect(well.code).toBe(0);
    }));

  it('a test passes the open breaker; of a paused endpoint it says until when nothing is sent', () =>
    pipeline.explain(async () => {
      statuses.set('down', 503);
      const id = await createEndpoint('down', { retry: { base_seconds: 1, cap_seconds: 4, window_seconds: 600 } });
      await new Promise((resolve) => setTimeout(resolve, 5_500));
      await publish('down', 12);
      await waitUntil('its breaker opens', () => breakerIs(id, 'open'), { timeoutMs: 120_000 });
      const { status, body } = await ask('POST', `/endpoints/${id}/test`);
      expect([status, body['attempt']]).toMatchObject([200, { outcome: 'http_5xx', http_status: 503 }]);
      const said = await hookline('endpoints', 'test', id);
      expect([said.code, said.stdout]).toEqual([1, expect.stringContaining('503')]);

      await ask('POST', `/endpoints/${id}/pause`, { until: new Date(Date.now() + 600_000).toISOString() });
      const paused = await ask('POST', `/endpoints/${id}/test`);
      expect(paused.status).toBe(409);
      expect(paused.body['detail']).toMatch(/paused until \d{4}-/);
    }));

  ('path' in chromium ? it : it.skip)(
    'in the console: nothing delivered, by its replay and its dead letters; a test past an open breaker; no test while paused',
    () =>
      pipeline.explain(async () => {
        statuses.set('shown', 500);
        const id = await createEndpoint('shown', { max_in_flight: 1 });
        await new Promise((resolve) => setTimeout(resolve, 5_500));
        await publish('shown', 12);
        await dead(id, 12);

        const browser = await startBrowser('path' in chromium ? chromium.path : '');
        const { page, complaints } = await takeSeat(browser, { url: pipeline.consoleUrl('console') });
        const endpoint = `/t/default/endpoints/${id}`;
        await page.goto(endpoint);
        await page.getByLabel('API key', { exact: true }).fill(pipeline.stack.adminKey);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByText('Why it fails').waitFor();
        await page.getByText('I am shown').waitFor();

        await page.goto(`${endpoint}/recover`);
        await page.getByRole('button', { name: 'Send 12 again' }).click();
        await page.getByText('nothing delivered').waitFor();
        const said = await page.locator('.replay-progress').innerText();
        expect(said).toMatch(/Delivered\s+0\s+Waiting\s+0\s+Dead-lettered\s+12/);

        await waitUntil('its breaker opens', () => publish('shown', 1).then(() => breakerIs(id, 'open')), {
          timeoutMs: 120_000,
          everyMs: 1_000,
        });
        await page.goto(endpoint);
        await page.getByText('held back: only probes and tests are sent').waitFor();

        await page.getByRole('link', { name: 'Send a test' }).click();
        await page.getByRole('button', { name: 'Send a test' }).click();
        await page.getByText('The receiver did not accept it.').waitFor();

        await page.goto(endpoint);
        await page.getByRole('button', { name: 'Probe now' }).click();
        await page.getByText('Why it fails').waitFor();
        expect(await page.getByRole('alert').count()).toBe(0);

        await page.goto(`${endpoint}/pause`);
        await page.getByRole('button', { name: 'Pause' }).click();
        await page.getByText('Its deliveries wait, and are sent then.').waitFor();
        expect(await page.getByRole('link', { name: 'Send a test' }).count()).toBe(0);
        await page.goto(`${endpoint}/test`);
        await page.getByRole('button', { name: 'Send a test' }).click();
        await page.getByRole('alert').filter({ hasText: 'paused until' }).waitFor();
        expect(complaints).toEqual([]);
        await browser.close();
      }),
  );
});

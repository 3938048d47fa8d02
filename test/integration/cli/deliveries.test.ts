import type { DeliveryStatus } from '#lib/contract';
import { createId, systemClock } from '#lib/runtime';
import { runHookline } from '../../support/run-hookline.ts';
import { adminKey } from '../../unit/api/build-test-app.ts';
import { eventFact, outcomeFact, startAt } from '../../unit/projector/facts.ts';
import { type OpenApi, openApi } from '../api/api-over-database.ts';
import { project } from '../projector/projection.ts';

let api: OpenApi;
let env: Record<string, string>;
beforeAll(async () => {
  api = await openApi({ clock: systemClock });
  env = { HOOKLINE_API_URL: await api.url(), HOOKLINE_ADMIN_KEY: adminKey };
});
afterAll(() => api?.close());

const run = (...args: string[]) => runHookline([...args, '--tenant', 'acme'], { env });

async function ask<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await run(...args, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as T;
}

const inYears = (status: DeliveryStatus): number | null => (status === 'retrying' ? Date.UTC(2100, 0) * 1_000 : null);

/** One that has come to this by these steps. */
async function deliver(...steps: DeliveryStatus[]): Promise<{ id: string; eventId: string }> {
  const id = createId('dlv', startAt / 1_000);
  const named = { tenant: 'acme', eventId: createId('evt', startAt / 1_000) };
  const deliveries = [{ endpoint_id: 'ep_a', delivery_id: id }];
  await project(api.postgres, [
    eventFact(named),
    {
      kind: 'fan-out',
      fanOut: { tenant: 'acme', event_id: named.eventId, generation: 0, at: startAt, deliveries, chunk: null },
    },
  ]);
  for (const [index, status] of steps.entries()) {
    const fact = outcomeFact(named, 'ep_a', index + 1, status);
    if (fact.kind !== 'outcome') throw new Error('an outcome is one');
    const outcome = { ...fact.outcome, delivery_id: id, created_at: startAt, next_attempt_at: inYears(status) };
    await project(api.postgres, [{ kind: 'outcome', outcome }]);
  }
  return { id, eventId: named.eventId };
}

test('a delivery is found by its event, and shown', async () => {
  const { id, eventId } = await deliver('retrying');
  expect(await ask('events', 'deliveries', eventId)).toMatchObject([{ id, status: 'retrying', attempts: 1 }]);
  expect(await ask('deliveries', 'show', id)).toMatchObject({ id, event_id: eventId, status: 'retrying' });
  expect((await run('events', 'deliveries', eventId)).stdout).toMatch(/^id +endpoint_id +generation +status +attempts/);
});

test('its attempts are a table, and with --json all that is known of them', async () => {
  const { id } = await deliver('retrying', 'delivered');
  expect((await run('deliveries', 'attempts', id)).stdout.split('\n')).toEqual([
    expect.stringMatching(/^attempt +at +outcome +status +duration +detail$/) as string,
    expect.stringMatching(/^1 +2026-01-01T\S+Z +http_5xx +500 +12\.5 ms +/) as string,
    expect.stringMatching(/^2 +2026-01-01T\S+Z +delivered +200 +12\.5 ms +/) as string,
    '',
  ]);
  expect(await ask('deliveries', 'attempts', id)).toMatchObject([
    { attempt: 1, response_excerpt: '…', request: { method: 'POST' }, timing: { first_byte_ms: 11.25 } },
    { attempt: 2 },
  ]);
});

test('one that waits is sent now, or cancelled; one that is delivered is neither', async () => {
  const waiting = await deliver('retrying');
  const retried = await ask<{ next_attempt_at: string }>('deliveries', 'retry', waiting.id);
  expect(Math.abs(Date.parse(retried.next_attempt_at) - Date.now())).toBeLessThan(60_000);
  expect((await run('deliveries', 'cancel', waiting.id)).code).toBe(0);

  const { id } = await deliver('delivered');
  for (const action of ['retry', 'cancel'])
    expect(await run('deliveries', action, id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('409 conflict') as string,
    });
  expect(await run('deliveries', 'show', createId('dlv', startAt / 1_000))).toMatchObject({
    code: 1,
    stderr: 'hookline: No such resource (404 not_found)\n',
  });
});

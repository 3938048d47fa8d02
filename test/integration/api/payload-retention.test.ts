/** Checks what clients see of an event whose payload is past its time. */
import { createId } from '#lib/runtime';
import {
  day,
  delivered,
  deliveryOf,
  fannedOut,
  firstDay,
  received,
  retentionOver,
  stepped,
  type Told,
} from '../projector/retained.ts';
import { project } from '../projector/projection.ts';
import { type OpenApi, openApi } from './api-over-database.ts';

let api: OpenApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

const tenant = 't';
const told = (): Told => ({ tenant, eventId: createId('evt', firstDay / 1000), receivedAt: firstDay });

test('an event stays readable without its payload, which is 410; that of an open delivery stays until it ends', async () => {
  const { runAt } = retentionOver(api.postgres);
  await runAt(firstDay);
  const [ended, open] = [told(), told()];
  await project(api.postgres, delivered(ended));
  await project(api.postgres, [received(open), fannedOut(open, ['ep_a']), stepped(open, 'ep_a', 1, 'retrying')]);
  const ask = (path: string, method: 'GET' | 'HEAD' = 'GET') => api.ask({ method, path, tenant });
  const attempts = async ({ eventId, receivedAt }: Told): Promise<unknown[]> =>
    (await ask(`/v1/deliveries/${deliveryOf({ tenant, eventId, receivedAt }, 'ep_a')}/attempts`)).json<unknown[]>();
  for (const { eventId } of [ended, open])
    for (const part of ['payload', 'request']) expect((await ask(`/v1/events/${eventId}/${part}`)).status).toBe(200);

  expect(await runAt(firstDay + 35 * day)).toBe(true);
  const gone = await ask(`/v1/events/${ended.eventId}/payload`);
  expect(gone.status).toBe(410);
  expect(gone.headers['content-type']).toBe('application/problem+json');
  expect(gone.json()).toMatchObject({
    code: 'gone',
    status: 410,
    detail: 'The payload has been removed: its retention time is over',
  });
  expect((await ask(`/v1/events/${ended.eventId}/payload`, 'HEAD')).status).toBe(410);
  const request = await ask(`/v1/events/${ended.eventId}/request`);
  expect([request.status, request.json()]).toMatchObject([410, { code: 'gone' }]);
  const event = await ask(`/v1/events/${ended.eventId}`);
  expect(event.status).toBe(200);
  expect(event.json()).toMatchObject({ id: ended.eventId, status: 'completed' });
  expect(event.json()).not.toHaveProperty('payload');
  expect((await ask(`/v1/events?receipt_id=rcp_${ended.eventId}`)).json()).toHaveLength(1);
  expect((await ask(`/v1/events/${ended.eventId}/deliveries`)).json()).toMatchObject([
    { status: 'delivered', attempts: 1 },
  ]);
  expect(await attempts(ended)).toEqual([]);

  expect((await ask(`/v1/events/${open.eventId}/payload`)).status).toBe(200);
  expect(await attempts(open)).toHaveLength(1);
  await project(api.postgres, [stepped(open, 'ep_a', 2, 'delivered')]);
  expect(await runAt(firstDay + 35 * day)).toBe(true);
  expect((await ask(`/v1/events/${open.eventId}/payload`)).status).toBe(410);
  expect((await ask(`/v1/events/${open.eventId}`)).status).toBe(200);
});

test('an event that is past its own time does not exist any more, nor does anything of it', async () => {
  const { runAt } = retentionOver(api.postgres);
  const removed = told();
  await project(api.postgres, delivered(removed));
  await api.postgres.query('UPDATE events SET updated_at = received_at WHERE id = $1', [removed.eventId]);
  expect(await runAt(firstDay + 100 * day)).toBe(true);
  const delivery = `/v1/deliveries/${deliveryOf(removed, 'ep_a')}`;
  for (const path of ['', '/payload', '/deliveries'].map((rest) => `/v1/events/${removed.eventId}${rest}`))
    expect((await api.ask({ path, tenant })).status).toBe(404);
  for (const path of [delivery, `${delivery}/attempts`]) expect((await api.ask({ path, tenant })).status).toBe(404);
  const byReceipt = await api.ask({ path: `/v1/events?receipt_id=rcp_${removed.eventId}`, tenant });
  expect(byReceipt.json()).toEqual([]);
});

import { createId } from '#lib/runtime';
import { buryErased, forgetErased, sweepErasures } from '../../../services/projector/retention/sweep-erased.ts';
import { sweepEvents } from '../../../services/projector/retention/sweep-events.ts';
import type { Paced } from '../../../services/projector/retention/sweep-rows.ts';
import { duplicateFact, eventFact, fanOutFact, outcomeFact, startAt } from '../../unit/projector/facts.ts';
import { type OpenApi, openApi } from '../api/api-over-database.ts';
import { project } from '../projector/projection.ts';
import { workOff } from './erasing-api.ts';

let api: OpenApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

const tenant = 'kept';
const now = Date.now() * 1_000;
const hours = 3_600 * 1_000_000;
const paced: Paced = async (piece) => {
  while (!(await piece()).last);
};
const rows = (table: string) =>
  api.postgres.query<{ id: string; buried?: boolean }>(`SELECT * FROM ${table} WHERE tenant = $1`, [tenant]);

test('an erased event is readable until its days end, then 404, and its mark stays for as long as Kafka has records of it', async () => {
  const event = { tenant, eventId: createId('evt', startAt / 1000) };
  const facts = [
    ...[eventFact(event), fanOutFact(event, ['ep_1']), outcomeFact(event, 'ep_1', 1, 'delivered')],
    duplicateFact(event, { origin: 'dup' }),
  ];
  await project(api.postgres, facts);
  const counts = await rows('stats');
  expect(counts.length).toBeGreaterThan(3);
  const path = `/v1/events/${event.eventId}`;
  const { id } = (await api.ask({ method: 'DELETE', path, tenant })).json<{ id: string }>();
  await workOff(api, tenant, id);
  expect(await rows('stats')).toEqual(counts);

  await buryErased(api.postgres, now, paced);
  expect((await rows('erased'))[0]?.buried).toBe(false);
  await buryErased(api.postgres, now + 3 * hours, paced);
  expect((await rows('erased'))[0]?.buried).toBe(true);

  // Kafka has nothing of it, but the event is there.
  await forgetErased(api.postgres, now + 40 * 24 * hours, paced);
  expect(await rows('erased')).toHaveLength(1);
  expect((await api.ask({ path, tenant })).json()).toMatchObject({ status: 'erased' });

  expect(await sweepEvents(api.postgres, now + hours, paced)).toBe(1);
  expect((await api.ask({ path, tenant })).status).toBe(404);
  expect((await api.ask({ path: `${path}/payload`, tenant })).status).toBe(404);
  // The event is gone, but Kafka has records of it.
  await forgetErased(api.postgres, now, paced);
  expect(await rows('erased')).toHaveLength(1);
  await project(api.postgres, facts);
  expect((await api.ask({ path, tenant })).status).toBe(404);
  // Neither changes what was counted.
  expect(await rows('stats')).toEqual(counts);
  for (const table of ['deliveries', 'receipts', 'event_payloads'])
    expect([table, await rows(table)]).toEqual([table, []]);

  expect(await sweepErasures(api.postgres, now + hours)).toBe(0);
  await forgetErased(api.postgres, now + 40 * 24 * hours, paced);
  expect(await rows('erased')).toEqual([]);
  expect(await sweepErasures(api.postgres, now + hours)).toBe(1);
});

import { createManualClock, silentLogger } from '#lib/runtime';
import { createTenantLimits, parseLimitSettings } from '#lib/tenancy';
import { createAnnounceLimits } from '../../../services/api/limits/announce-limits.ts';
import { announcedPayload } from '../../../services/dispatcher/announcing/announced-payload.ts';
import { documentedMembers } from '../../support/documented-events.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type OpenApi, openApi } from './api-over-database.ts';

const read = parseLimitSettings('sources=1,endpoints=1');
if ('problems' in read) throw new Error(read.problems.join());
const limits = createTenantLimits(read.settings);
const clock = createManualClock(Date.UTC(2026, 0, 2, 12));

let api: OpenApi;
let begun = 0;
let ended = 0;
const announceLimits = createAnnounceLimits({
  postgres: {
    query: (...query) => {
      begun += 1;
      return api.postgres.query<never>(...query).finally(() => (ended += 1));
    },
  },
  limits,
  clock,
  log: silentLogger,
});
beforeAll(async () => {
  api = await openApi({ limits, announceLimits });
  await announceLimits.start();
});
afterAll(async () => {
  await announceLimits.stop();
  await api.close();
});

const post = async (tenant: string, path: string, body: object): Promise<number> =>
  (await api.ask({ method: 'POST', path, body, tenant, headers: { 'idempotency-key': `"${Math.random()}"` } })).status;
const source = { name: 'shop', scheme: 'hookline' };
const asking = { url: 'https://receiver.test/', event_types: ['hookline.tenant.limit_reached'] };
const announcements = () =>
  api.postgres.query<{ subject: string }>(
    'SELECT type, subject, episode, facts FROM announcements ORDER BY subject, episode',
  );
/** Notes are written every two seconds; a round that still writes begins the next one later. */
async function written(): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    await clock.advance(2_000);
    await waitUntil('nothing is being written', () => begun === ended);
  }
}

test('a limit that a tenant reaches is announced once a day, with its name and number', async () => {
  expect(await post('acme', '/v1/endpoints', asking)).toBe(201);
  expect(await post('acme', '/v1/sources', source)).toBe(201);
  const at = '2026-01-02T12:00:00.000000Z';
  for (let turn = 0; turn < 20; turn += 1) expect(await post('acme', '/v1/sources', source)).toBe(429);
  await written();
  const counts = 'sources that are not deleted';
  const announced = {
    type: 'hookline.tenant.limit_reached',
    subject: 'sources',
    episode: '2026-01-02',
    facts: { maximum: 1, counts, reached_at: at },
  };
  expect(await announcements()).toEqual([announced]);
  const type = 'hookline.tenant.limit_reached';
  const payload = announcedPayload({ ...announced, tenant: 'acme', type, due_at: '' });
  expect(Object.keys(payload).toSorted()).toEqual(documentedMembers(type).toSorted());
  expect(begun).toBe(1);

  expect(await post('acme', '/v1/endpoints', asking)).toBe(429);
  await clock.advance(660_000);
  expect(await post('acme', '/v1/sources', source)).toBe(429);
  await written();
  expect((await announcements()).map(({ subject }) => subject)).toEqual(['endpoints', 'sources']);

  await clock.advance(13 * 3_600_000);
  expect(await post('acme', '/v1/sources', source)).toBe(429);
  await written();
  expect(await announcements()).toMatchObject([{}, announced, { subject: 'sources', episode: '2026-01-03' }]);
});

test('a tenant that has no endpoint who asks has nothing announced', async () => {
  const before = await announcements();
  for (let turn = 0; turn < 3; turn += 1) await post('quiet', '/v1/sources', source);
  await written();
  expect(await announcements()).toEqual(before);
});

import { createId, systemClock } from '#lib/runtime';
import { runHookline } from '../../support/run-hookline.ts';
import { adminKey } from '../../unit/api/build-test-app.ts';
import { duplicateFact, eventFact, startAt } from '../../unit/projector/facts.ts';
import { type OpenApi, openApi } from '../api/api-over-database.ts';
import { project } from '../projector/projection.ts';

const tenant = 'explained';
let api: OpenApi;
let env: Record<string, string>;
beforeAll(async () => {
  api = await openApi({ clock: systemClock });
  env = { HOOKLINE_API_URL: await api.url(), HOOKLINE_ADMIN_KEY: adminKey };
});
afterAll(() => api.close());

const run = (args: string[], input = '') => runHookline([...args, '--tenant', tenant], { env, input });

async function printed(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(args);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

async function receive(payload: string, receivedAt = startAt): Promise<string> {
  const eventId = createId('evt', receivedAt / 1_000);
  const receipt = { receipt_id: createId('rcp', receivedAt / 1_000), received_at: receivedAt };
  await project(api.postgres, [eventFact({ tenant, eventId }, { payload: Buffer.from(payload), ...receipt })]);
  return eventId;
}

test('receipts are the arrivals of an event, one line each', async () => {
  const eventId = await receive('{"a":1}');
  await project(api.postgres, [duplicateFact({ tenant, eventId }, { origin: 'again', payload: '{"a":2}' })]);
  const lines = (await printed('events', 'receipts', eventId)).trimEnd().split('\n');
  expect(lines.map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
    'received_at id client_address kind same_bytes',
    expect.stringMatching(/^\S+Z rcp_\S+ - first true$/),
    expect.stringMatching(/^\S+Z rcp_of_again - duplicate false$/),
  ]);
});

test('why tells of each endpoint whether it got the event, or why not', async () => {
  const create = async (body: object): Promise<string> => {
    const given = { url: 'https://receiver.example/', ...body };
    return (await api.ask({ method: 'POST', path: '/v1/endpoints', body: given, tenant })).json<{ id: string }>().id;
  };
  const [taking, other, filtered] = [
    await create({}),
    await create({ event_types: ['invoice.*'] }),
    await create({ filter: { amount: { $gt: 5 } } }),
  ];
  const eventId = await receive('{"amount":5}', Date.now() * 1_000 + 60_000_000);
  const shown = await printed('events', 'why', eventId);
  expect(shown).toMatch(new RegExp(`^${taking} +yes +matched +-$`, 'm'));
  expect(shown).toMatch(new RegExp(`^${other} +no +other event types: invoice\\.\\* +-$`, 'm'));
  expect(shown).toMatch(new RegExp(`^${filtered} +no +filter: amount \\$gt 5 +-$`, 'm'));
});

test('a search prints what it found, and how far it came', async () => {
  const eventId = await receive('{"order":{"id":"o-17"}}', startAt + 1_000_000);
  const found = await printed('events', 'search', '--filter', '{"order.id":"o-17"}', '--type', 'order.paid');
  expect(found).toContain(eventId);
  expect(found).toMatch(/\d+ payloads searched; no older events\n$/);
  expect(await printed('events', 'search', '--filter', '{"order":{"$exists":true}}', '--limit', '1')).toContain(
    `continue with --cursor ${eventId}`,
  );
  expect((await run(['events', 'search'])).code).toBe(2);
});

test('a webhook is verified against a source, and a sample is printed as a command', async () => {
  const source = { name: 'shop', scheme: 'hookline' };
  const { id } = (await api.ask({ method: 'POST', path: '/v1/sources', body: source, tenant })).json<{ id: string }>();
  expect(await printed('sources', 'sample', id)).toMatch(/^curl -sS -X POST 'https:\/\/in\.test\/v1\/webhooks\/src_/);
  const sample = JSON.parse(await printed('sources', 'sample', id, '--json')) as {
    headers: Record<string, string>;
    body: string;
  };
  const headers = Object.entries(sample.headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]);
  const verify = (body: string) => run(['sources', 'verify', id, ...headers, '--body-file', '-'], body);
  expect(await verify(sample.body)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^verified +true/) as string,
  });
  const refused = await verify(`${sample.body}\n`);
  expect(refused.code).toBe(1);
  expect(refused.stdout).toMatch(/^detail +The sender signed the body without its last line break/m);
});

import { createManualClock } from '#lib/runtime';
import { openClient } from '../../../services/cli/api-calls/open-client.ts';
import { createOwnContext } from '../../support/own-context.ts';
import { type Answered, startFakeApi } from './fake-api.ts';

let answers: Answered[];
let api: Awaited<ReturnType<typeof startFakeApi>>;
beforeEach(async () => {
  answers = [];
  api = await startFakeApi((_asked, index) => answers[index] ?? { status: 500 });
});
afterEach(() => api.stop());

const clientOf = () => {
  const { context } = createOwnContext({ env: api.env });
  return openClient({ ...context, clock: { ...createManualClock(), sleep: async () => undefined } }, undefined);
};
const body = { name: 'a', scheme: 'hookline' } as const;

test('a POST is resent with its own key until there is an answer; another POST has another key', async () => {
  answers.push(
    { status: 503, headers: { 'retry-after': '2' } },
    { status: 409, headers: { 'retry-after': '1' } },
    { status: 504 },
    { status: 201 },
    { status: 201 },
  );
  const client = clientOf();
  expect(await client.ask('POST /v1/sources', { body })).toMatchObject({ ok: true });
  expect(await client.ask('POST /v1/sources', { body })).toMatchObject({ ok: true });
  const [first, ...others] = api.asked.map(({ headers }) => headers['idempotency-key']);
  expect(first).toMatch(/^[0-9a-f-]{36}$/);
  expect(others.slice(0, 3)).toEqual([first, first, first]);
  expect(others[3]).toMatch(/^[0-9a-f-]{36}$/);
  expect(others[3]).not.toBe(first);
});

test('a conflict that will not pass, and whatever a PATCH or DELETE gets, is not resent', async () => {
  answers.push({ status: 409 }, { status: 503 }, { status: 503 });
  const client = clientOf();
  const params = { id: 'src_1' };
  expect(await client.ask('POST /v1/sources', { body })).toMatchObject({ ok: false });
  expect(await client.ask('PATCH /v1/sources/:id', { params, body: {} })).toMatchObject({ ok: false });
  expect(await client.ask('DELETE /v1/sources/:id', { params })).toMatchObject({ ok: false });
  expect(api.asked).toHaveLength(3);
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runHookline } from '../../support/run-hookline.ts';
import { startFakeApi } from './fake-api.ts';

const folder = mkdtempSync(join(tmpdir(), 'hookline-endpoint-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const attempt = {
  attempt: 1,
  at: '2026-01-01T00:00:00.000000Z',
  outcome: 'delivered',
  http_status: 200,
  duration_ms: 23,
  detail: null,
  response_excerpt: 'thank\nyou',
  timing: { dns_ms: null, connect_ms: 2, tls_ms: 8, first_byte_ms: 12, body_ms: 1 },
};
const ids = { event_id: 'evt_1', delivery_id: 'dlv_1' };

/** The command's output when the API gives this answer. */
async function sendTest(answered: { status: number; body: object }, ...args: string[]) {
  const api = await startFakeApi(() => answered);
  try {
    return { ...(await runHookline(['endpoints', 'test', 'ep_1', ...args], { env: api.env })), asked: api.asked };
  } finally {
    await api.stop();
  }
}

test('an endpoint that takes it is shown with its answer, and exits 0', async () => {
  const payload = join(folder, 'payload.json');
  writeFileSync(payload, '{"n":1}');
  const ran = await sendTest({ status: 200, body: { ...ids, attempt } }, '--type', 'ping', '--payload-file', payload);
  expect(ran.asked).toMatchObject([
    { method: 'POST', path: '/v1/endpoints/ep_1/test', body: { type: 'ping', payload: { n: 1 } } },
  ]);
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  expect(ran.stdout.split('\n')).toEqual([
    'outcome   delivered: 200 after 23 ms (connect 2, tls 8, first byte 12, body 1)',
    'at        2026-01-01T00:00:00.000000Z',
    'event     evt_1',
    'delivery  dlv_1',
    'answer    thank?you',
    '',
  ]);
});

test('one that does not, exits 1; with --json it is told as the API has it', async () => {
  const body = { ...ids, attempt: { ...attempt, outcome: 'http_5xx', http_status: 500 } };
  const ran = await sendTest({ status: 200, body }, '--json');
  expect([ran.code, JSON.parse(ran.stdout)]).toEqual([1, body]);
});

test('what was not sent in time says how to look, and exits 1', async () => {
  const ran = await sendTest({ status: 202, body: { ...ids, attempt: null } });
  expect(ran.code).toBe(1);
  expect(ran.stdout).toContain('not sent yet: `hookline deliveries attempts dlv_1` will show');
  const sooner = await sendTest({ status: 202, body: { ...ids, delivery_id: null, attempt: null } });
  expect(sooner.stdout).toMatch(
    /^outcome +not sent yet: `hookline events deliveries evt_1` will show .*\nevent +evt_1\n$/,
  );
});

test('what the API refuses is told', async () => {
  const ran = await sendTest({
    status: 409,
    body: { title: 'No', status: 409, code: 'conflict', detail: 'It is disabled' },
  });
  expect(ran).toMatchObject({ code: 1, stdout: '', stderr: 'hookline: No (409 conflict): It is disabled\n' });
});

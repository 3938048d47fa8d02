/** `hookline listen --poll` over an API that is played: what is chosen, what is signed, and what happens where others are away. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyArrival } from '../../../services/cli/listen/arrivals.ts';
import { runHookline } from '../../support/run-hookline.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type Answered, type Asked, startFakeApi } from './fake-api.ts';
import { endHookline, spawnRunning } from './start-hookline.ts';

const later = new Date(Date.now() + 3_600_000).toISOString();
const event = (id: string, more: object = {}) => ({
  id,
  type: 'order.paid',
  source_id: 'src_1',
  status: 'received',
  received_at: later,
  updated_at: later,
  deliveries: {},
  ...more,
});

let api: Awaited<ReturnType<typeof startFakeApi>>;
let pages: (Answered | object[])[];
let payloads: Record<string, Answered>;
beforeEach(async () => {
  pages = [];
  payloads = {};
  api = await startFakeApi(answerTo);
});
afterEach(async () => {
  await endHookline();
  await api.stop();
});

function answerTo({ path }: Asked): Answered {
  const headers = { 'hookline-cursor': 'c' };
  const [, id] = /^\/v1\/events\/(\w+)\/payload$/.exec(path) ?? [];
  if (id !== undefined) return payloads[id] ?? { status: 200, body: { id } };
  if (!path.includes('cursor=')) return { status: 200, body: [], headers };
  const next = pages.shift();
  if (next === undefined) return { status: 204, headers };
  return Array.isArray(next) ? { status: 200, body: next, headers } : next;
}

async function startTarget(answers: (number | 'none')[] = []) {
  const got: { headers: IncomingHttpHeaders; body: Buffer }[] = [];
  const server = createServer((asked, response) => {
    const chunks: Buffer[] = [];
    asked.on('data', (chunk: Buffer) => chunks.push(chunk));
    asked.on('end', () => {
      const answer = answers.shift() ?? 200;
      if (answer === 'none') asked.socket.destroy();
      else {
        got.push({ headers: asked.headers, body: Buffer.concat(chunks) });
        response.writeHead(answer).end();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    got,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`,
    stop: () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections())),
  };
}

const idsOf = ({ got }: Awaited<ReturnType<typeof startTarget>>) => got.map(({ headers }) => headers['webhook-id']);
const poll = (...args: string[]) =>
  runHookline(['listen', '--poll', '--secret', 'whsec_c2VjcmV0', ...args], { env: api.env });

test('each event is forwarded once, at its first change, signed as a delivery is', async () => {
  pages = [
    [event('a'), event('b')],
    [event('b', { status: 'processing' }), event('c')],
  ];
  const target = await startTarget();
  const { code, stdout } = await poll('--forward', target.url, '--count', '3');
  await target.stop();
  expect(code).toBe(0);
  expect(idsOf(target)).toEqual(['a', 'b', 'c']);
  const [first] = target.got;
  expect(first?.body.toString()).toBe('{"id":"a"}');
  expect(first?.headers).toMatchObject({ 'hookline-event-type': 'order.paid', 'hookline-attempt': '1' });
  expect(
    verifyArrival(
      { secrets: ['whsec_c2VjcmV0'] },
      {
        headers: first?.headers ?? {},
        query: '',
        body: first?.body ?? Buffer.alloc(0),
        nowSeconds: Math.floor(Date.now() / 1_000),
      },
    ),
  ).toBe('verified');
  expect(stdout).toMatch(/POST \/in {2}order\.paid {2}a {2}attempt 1 {2}10 bytes {2}verified {2}→ 200/);
  expect(stdout).toContain('3 received; 3 verified');
  // No delivery, no attempt: it only reads.
  expect(new Set(api.asked.map(({ method }) => method))).toEqual(new Set(['GET']));
});

test('what was accepted before, is of another type, Hookline’s own or erased, is left out', async () => {
  pages = [
    [
      event('old', { received_at: '2026-01-01T00:00:00Z' }),
      event('other', { type: 'invoice.paid' }),
      event('own', { source_id: 'hookline' }),
      { id: 'erased', status: 'erased', received_at: later, updated_at: later },
      event('gone'),
      event('wanted'),
    ],
  ];
  payloads = { gone: { status: 410, body: { title: 'Gone', code: 'gone' } } };
  const target = await startTarget();
  const { stderr } = await poll('--forward', target.url, '--count', '1', '--types', 'order.*');
  await target.stop();
  expect(idsOf(target)).toEqual(['wanted']);
  expect(stderr).toBe('gone is left out: its payload has been removed\n');
});

test('a target that is away has its events wait; another answer is its own', async () => {
  pages = [[event('a'), event('b')]];
  const target = await startTarget(['none', 503, 200, 500]);
  const { code, stdout, stderr } = await poll('--forward', target.url, '--count', '2', '--json');
  await target.stop();
  expect(code).toBe(0);
  expect(idsOf(target)).toEqual(['a', 'a', 'b']);
  expect(target.got[1]?.headers['hookline-attempt']).toBe('3');
  expect(stderr.match(/^a waits for http:.*; again in [\d.]+ s$/gm)).toHaveLength(2);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.map(({ kind, webhook_id, answered }) => [kind, webhook_id, answered])).toEqual([
    ['polling', undefined, undefined],
    ['request', 'a', 200],
    ['request', 'b', 500],
    ['summary', undefined, { 200: 1, 500: 1 }],
  ]);
});

test('an API that is away is asked again at the same cursor, and nothing is lost', async () => {
  pages = [[event('a')], { status: 503 }, { status: 502, body: 'Bad gateway' }, [event('b')]];
  const target = await startTarget();
  const { code } = await poll('--forward', target.url, '--count', '2');
  await target.stop();
  expect(code).toBe(0);
  expect(idsOf(target)).toEqual(['a', 'b']);
});

test('without --forward events are shown, and nothing is sent', async () => {
  pages = [[event('a')]];
  expect((await poll('--count', '1')).stdout).toContain('verified  → not forwarded');
});

test('Ctrl-C ends a held request at once, and says what was not forwarded', async () => {
  pages = [[event('a'), event('b')]];
  const target = await startTarget();
  await target.stop();
  const command = spawnRunning(['listen', '--poll', '--forward', target.url], api.env);
  await waitUntil('a waits', () => command.errors().includes('a waits for'));
  command.signal('SIGINT');
  expect(await command.ended).toBe(1);
  expect(command.errors()).toContain('a was not forwarded');
  expect(command.lines().at(-1)).toContain('0 received');
});

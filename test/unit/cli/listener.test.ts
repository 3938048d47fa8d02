import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { request } from 'undici';
import { type Clock, systemClock } from '#lib/runtime';
import { type Arrival, createListener, type Listener, readAnswerPlan } from '../../../services/cli/listen/listener.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** A clock whose sleeps are recorded, and end on demand. */
function createStandingClock() {
  const sleeps: { ms: number; end(): void }[] = [];
  const clock: Clock = {
    ...systemClock,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        sleeps.push({ ms, end: resolve });
        signal?.addEventListener('abort', () => resolve());
      }),
  };
  return { clock, sleeps };
}

const { clock, sleeps } = createStandingClock();
const arrivals: Arrival[] = [];
const happened = { answered: 0, brokenOff: 0 };
let listener: Listener;
beforeEach(async () => {
  sleeps.length = 0;
  arrivals.length = 0;
  Object.assign(happened, { answered: 0, brokenOff: 0 });
  listener = createListener({
    host: '127.0.0.1',
    port: 0,
    trust: () => ({ secrets: [] }),
    plan: readAnswerPlan({ delay: '1s..3s' }),
    clock,
    random: () => 0.5,
    onArrival: (arrival) => void arrivals.push(arrival),
    onAnswered: () => void (happened.answered += 1),
    onBrokenOff: () => void (happened.brokenOff += 1),
  });
  await listener.start();
});
afterEach(() => listener.stop());

const portOf = ({ url }: Listener): number => Number(new URL(url()).port);
const oneSleeps = () => waitUntil('a request waits for its answer', () => sleeps[0]);

test('a request is told and answered after its delay, not before', async () => {
  const answer = request(listener.url(), { method: 'POST', body: 'x' });
  const sleep = await oneSleeps();
  expect([sleep.ms, arrivals]).toEqual([2_000, []]);
  sleep.end();
  expect((await answer).statusCode).toBe(200);
  expect(arrivals).toMatchObject([{ method: 'POST', bytes: 1, answer: 200, senderLeft: false }]);
  await waitUntil('it is known to be answered', () => happened.answered === 1);
});

test('what waits for its answer does not hold the end up, and is not told as answered', async () => {
  const answer = request(listener.url()).catch((error: Error) => error);
  await oneSleeps();
  await listener.stop();
  expect(await answer).toBeInstanceOf(Error);
  expect([arrivals, happened.answered]).toEqual([[], 0]);
});

test('a sender that gives up before it is answered is known to have left', async () => {
  const socket = connect(portOf(listener), '127.0.0.1').resume();
  const closed = once(socket, 'close');
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const sleep = await oneSleeps();
  socket.end();
  await closed;
  sleep.end();
  await waitUntil('it is answered', () => happened.answered === 1);
  expect(arrivals).toMatchObject([{ answer: 200, senderLeft: true }]);
});

test('a sender that goes away in the middle of its body has sent no request', async () => {
  const socket = connect(portOf(listener), '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nhalf', () => socket.destroy());
  await waitUntil('it is known to have broken off', () => happened.brokenOff === 1);
  expect([arrivals, sleeps]).toEqual([[], []]);
});

test('a body that came encoded is shown decoded, and kept as it came', async () => {
  const body = gzipSync('{"order":1}');
  for (const encoding of ['gzip', 'br']) {
    const answer = request(listener.url(), { method: 'POST', body, headers: { 'content-encoding': encoding } });
    (await oneSleeps()).end();
    await answer;
    sleeps.length = 0;
  }
  expect(arrivals).toMatchObject([
    { body, content: Buffer.from('{"order":1}') },
    { body, content: body },
  ]);
});

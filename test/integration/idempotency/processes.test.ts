import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { withCompileCache } from '../../support/compile-cache.ts';
import { freeze } from '../../support/freeze.ts';
import { type OrphanReaper, startOrphanReaper } from '../../support/orphan-reaper.ts';
import { waitUntil, within } from '../../support/wait-until.ts';
import { type Answer, askAt } from '../../unit/api/ask.ts';
import { isReplay } from '../../unit/idempotency/world.ts';
import { type EffectsDatabase, openEffects } from './postgres-subject.ts';

let database: EffectsDatabase;
let reaper: OrphanReaper;
const stops: (() => Promise<void>)[] = [];
beforeAll(async () => {
  database = await openEffects();
  reaper = startOrphanReaper();
});
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});
afterAll(async () => {
  reaper.stop();
  await database.close();
});

const lockSeconds = 10;

async function startServer(crashPoint = '') {
  const program = `${import.meta.dirname}/server.ts`;
  const child = spawn(process.execPath, [program, database.url, String(lockSeconds), crashPoint], {
    env: { ...process.env, ...withCompileCache },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  reaper.watch(child.pid ?? 0);
  const exited = once(child, 'exit');
  stops.push(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const port = Number(await waitUntil('it listens', () => lines[0]));
  return {
    exited: exited.then(([, signal]) => signal as string | null),
    entered: () => waitUntil('it is in the handler', () => lines.includes('entered'), { everyMs: 5 }),
    freeze: () => freeze(child.pid),
    thaw: () => child.kill('SIGCONT'),
    post: (key: string, headers: Record<string, string> = {}, path = '/things'): Promise<Answer> =>
      askAt(port, { method: 'POST', path, headers: { 'idempotency-key': key, ...headers } }),
  };
}

const effectsOf = async (key: string): Promise<number> =>
  (await database.postgres.query('SELECT FROM effects WHERE name = $1', [key])).length;

test.each([
  ['idempotency.after-row', false],
  ['idempotency.after-effect', false],
  ['idempotency.before-commit', false],
  ['idempotency.after-commit', true],
  ['idempotency-group.after-keys', false],
  ['idempotency-group.after-effects', false],
  ['idempotency-group.before-commit', false],
  ['idempotency-group.after-commit', true],
])('killed at %s, what was asked is there once after the retry, which is a replay: %s', async (point, isThere) => {
  const path = point.startsWith('idempotency-group') ? '/grouped' : '/things';
  const [dying, other] = await Promise.all([startServer(point), startServer()]);
  await expect(dying.post(point, {}, path)).rejects.toThrow();
  expect(await within('it dies', 30_000, dying.exited)).toBe('SIGKILL');
  expect(await effectsOf(point)).toBe(isThere ? 1 : 0);
  const beganAtMs = performance.now();
  const retry = await waitUntil('the retry is answered', async () => {
    const answer = await other.post(point, {}, path);
    return answer.status === 201 && answer;
  });
  // A dead owner's transaction ends with its connection, so nobody waits for its lease.
  expect(performance.now() - beganAtMs).toBeLessThan(lockSeconds * 1_000);
  expect(isReplay(retry)).toBe(isThere);
  expect(await effectsOf(point)).toBe(1);
});

test.each([
  ['an owner', '/things'],
  ['a group', '/grouped'],
])('stopped past its lease, %s neither overwrites its successor nor gives a second answer', async (_who, path) => {
  const [stopped, other] = await Promise.all([startServer(), startServer()]);
  const late = stopped.post(path, { 'x-sleep-ms': '2000' }, path);
  await stopped.entered();
  await stopped.freeze();
  expect((await other.post(path, {}, path)).status).toBe(409);
  const taken = await waitUntil(
    'another may take over',
    async () => {
      const answer = await other.post(path, {}, path);
      return answer.status === 201 && answer;
    },
    { timeoutMs: 30_000, everyMs: 200 },
  );
  expect(isReplay(taken)).toBe(false);
  stopped.thaw();
  const lateAnswer = await late;
  expect([lateAnswer.status, isReplay(lateAnswer), lateAnswer.text]).toEqual([201, true, taken.text]);
  expect((await stopped.post(path, {}, path)).text).toBe(taken.text);
  expect(await effectsOf(path)).toBe(1);
});

test('stopped for less than its lease, an owner goes on, and others wait for it', async () => {
  const [stopped, other] = await Promise.all([startServer(), startServer()]);
  const late = stopped.post('short', { 'x-sleep-ms': '2000' });
  await stopped.entered();
  await stopped.freeze();
  expect((await other.post('short')).status).toBe(409);
  stopped.thaw();
  const answer = await late;
  expect([answer.status, isReplay(answer)]).toEqual([201, false]);
  expect((await other.post('short')).text).toBe(answer.text);
  expect(await effectsOf('short')).toBe(1);
});

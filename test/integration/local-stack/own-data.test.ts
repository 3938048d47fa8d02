import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import { StackError } from '#deploy/local/failure.ts';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { assertOwnData } from '#deploy/local/stack/own-data.ts';
import { serverAddresses } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { withDatabase } from '../../support/with-database.ts';

const { databaseUrl } = serverAddresses();
const foreignUrl = databaseUrl.replace(/:[^:@/]*@/, ':of-another-checkout@');

/** A connection that nobody closes ends by itself after a minute. */
const lessThanIdleMs = 20_000;

/** A project of containers whose Postgres is the one of this test run; keeps what it was told. */
function project({ hasData = true, running = [] as string[] } = {}) {
  const told: string[] = [];
  return {
    told,
    project: 'hookline',
    hasData: async () => hasData,
    running: () => running,
    up: async (...names: string[]) => void told.push(`up ${names.join(' ')}`),
    remove: async (name: string) => void told.push(`remove ${name}`),
  };
}

test('data that was made with the secrets of this checkout is taken, and no connection stays', async () => {
  const stopped = project();
  await assertOwnData(stopped, databaseUrl);
  expect(stopped.told).toEqual(['up postgres']);
  await withDatabase(databaseUrl, (postgres) =>
    waitUntil(
      'its session has ended',
      async () => {
        const sessions = await postgres.query(`SELECT FROM pg_stat_activity WHERE application_name = 'hookline-up'`);
        return sessions.length === 0;
      },
      { timeoutMs: lessThanIdleMs },
    ),
  );
});

test('data of another checkout is refused, and its Postgres is not left running', async () => {
  const stopped = project();
  const refusal = await assertOwnData(stopped, foreignUrl).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(StackError);
  const { message } = refusal as StackError;
  for (const told of ['the project hookline', 'another checkout', 'HOOKLINE_PORT_OFFSET', 'make clean'])
    expect(message).toContain(told);
  expect(stopped.told).toEqual(['up postgres', 'remove postgres']);
});

test('a stack of another checkout that runs is left alone', async () => {
  const running = project({ running: ['postgres', 'kafka', 'ingress'] });
  await expect(assertOwnData(running, foreignUrl)).rejects.toThrow(StackError);
  expect(running.told).toEqual([]);
});

test('a project without data starts nothing for it', async () => {
  const fresh = project({ hasData: false });
  await assertOwnData(fresh, foreignUrl);
  expect(fresh.told).toEqual([]);
});

describe('a Postgres that says nothing about the password is not called foreign', () => {
  let mute: Server | undefined;
  afterEach(() => mute?.close());

  test('one that is away', async () => {
    const [port = 0] = await freePorts(1);
    await assertOwnData(project(), `postgres://hookline:any@127.0.0.1:${port}/hookline`);
  });

  test('one that closes every connection', async () => {
    mute = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const { port } = mute.address() as { port: number };
    await assertOwnData(project(), `postgres://hookline:any@127.0.0.1:${port}/hookline`);
  });
});

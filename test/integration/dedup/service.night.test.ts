import { header } from '#lib/contract';
import type { CrashPointName } from '#lib/runtime';
import { startTcpProxy } from '../../faults/network/tcp-proxy.ts';
import { waitUntil, within } from '../../support/wait-until.ts';
import { exact, sumUp } from '../../unit/dedup/sum.ts';
import { createWorld, maxEventBytes, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterEach(async () => {
  // In any case, SIGTERM ends every process in order.
  expect((await world.stopServices()).filter((code) => code !== 0)).toEqual([]);
});
afterAll(() => world.stop());

const readyMs = 60_000;
const started = async (env?: Record<string, string>) => {
  const child = await world.spawn(env);
  await child.ready(readyMs);
  return child;
};
const deadLettersNow = async (): Promise<number> => (await world.outcomes()).deadLetters().length;
let runs = 0;
/** Keys that no other test has; each comes `times` times, shuffled over the partitions as the producer likes. */
const webhooks = (keys: number, times: number) => {
  const run = (runs += 1);
  return Array.from({ length: keys * times }, (_, index) => ({ id: `run ${run} key ${index % keys}` }));
};
const settled = async (origins: string[]) => {
  await world.committed();
  const outcomes = await world.outcomes();
  expect(sumUp(outcomes, origins)).toEqual(exact);
  return outcomes;
};
const eventsOf = (outcomes: Awaited<ReturnType<World['outcomes']>>, origins: string[]) =>
  outcomes.events().filter(({ origin }) => origins.includes(origin));

describe('the dedup service', () => {
  it('makes an event of each first record, for any Kafka consumer to read, and a duplicate of every other', async () => {
    const child = await started();
    const [plain = '', again = '', ordered = ''] = await world.receive([
      { id: 'contract-1', body: '{"id":"contract-1","type":"invoice.paid"}' },
      { id: 'contract-1', body: '{"id":"contract-1"}' },
      { id: 'contract-2', orderingKey: 'customer-7' },
    ]);
    const outcomes = await settled([plain, again, ordered]);
    const [event] = eventsOf(outcomes, [plain, again]);
    expect(event).toMatchObject({ event_id: 'contract-1', source_id: 'src_1', tenant: 'default' });
    expect(outcomes.duplicates()).toMatchObject([
      { event_id: event?.id, changed: true, dedup_key: event?.dedup_key.toString('hex') },
    ]);

    const byKey = (topic: string) => outcomes.records(topic).map(({ key }) => key?.toString());
    expect(byKey(world.topics.events)).toEqual(expect.arrayContaining([event?.id, 'customer-7']));
    expect(byKey(world.topics.duplicates)).toEqual([event?.dedup_key.toString('hex')]);
    const trace = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
    const headersOn = (topic: string) => outcomes.records(topic).map(({ headers }) => headers);
    const withSet = {
      ...trace,
      [header.fanOut]: expect.stringMatching(/^{"at":\d{16},"endpointIds":\[\]}$/) as string,
    };
    // One is fanned out at once, to no endpoint; the other has an ordering key.
    expect(headersOn(world.topics.events)).toEqual(expect.arrayContaining([withSet, trace]));
    expect(headersOn(world.topics.duplicates)).toEqual([trace]);

    const metrics = await (await fetch(`${child.adminUrl}/metrics`)).text();
    expect(metrics).toContain('hookline_dedup_records_total{outcome="first"} 2');
    expect(metrics).toContain('hookline_dedup_records_total{outcome="duplicate_changed"} 1');
  });

  it('dead-letters what can’t be read, what Kafka refuses and what Postgres refuses, each alone, and as it came', async () => {
    await started();
    const topic = world.topics['webhooks.received'];
    await world.send({ topic, key: 'any key', value: Buffer.from([0xff, 0]), headers: { 'x-any': 'header' } });
    const tooLarge = { id: 'too large', body: JSON.stringify({ id: 'too large', filler: 'x'.repeat(maxEventBytes) }) };
    const origins = await world.receive([
      { id: 'good 1' },
      tooLarge,
      { id: 'a NUL \0 in its identifier' },
      { id: 'good 2', tenant: 'a tenant with \0' },
      { id: 'good 3' },
    ]);
    const outcomes = await settled(origins);
    expect(
      eventsOf(outcomes, origins)
        .map(({ event_id }) => event_id)
        .sort(),
    ).toEqual(['good 1', 'good 3', expect.stringMatching(/^sha256:/) as unknown]);
    const deadLetters = outcomes.deadLetters() as { reason?: string; origin: string; attempts?: number }[];
    expect(deadLetters.map(({ reason, attempts }) => `${reason} ${attempts}`).sort()).toEqual([
      'data_invalid 3',
      'data_invalid 3',
      'malformed_record 1',
    ]);
    const malformed = outcomes
      .records(world.topics['dead-letters'])
      .find(({ headers }) => headers[header.deadLetterReason] === 'malformed_record');
    expect(malformed?.key?.toString()).toBe('any key');
    expect(malformed?.value).toEqual(Buffer.from([0xff, 0]));
    expect(malformed?.headers['x-any']).toBe('header');

    // The key is released: the same webhook, smaller, is the first now.
    const second = await world.receive([{ id: 'too large' }]);
    expect(eventsOf(await settled(second), second)).toHaveLength(1);
  });

  it('goes on with Postgres alone while Redis is dead or hangs, and uses it again when it is back', async () => {
    const deadLetters = await deadLettersNow();
    const child = await started({ HOOKLINE_DEDUP_REDIS_TIME_LIMIT_MS: '200' });
    await world.redis.stop();
    const dead = await world.receive(webhooks(30, 2));
    await settled(dead);
    await world.redis.start();
    const usesRedis = (): boolean => child.lines.some((line) => line.includes('redis.back'));
    // It notices when there is something to ask.
    await waitUntil('it is used again', async () => (await world.receive(webhooks(1, 1)), usesRedis()), {
      timeoutMs: 30_000,
      everyMs: 300,
    });
    await world.redis.hang();
    const hanging = await world.receive(webhooks(30, 2));
    await settled(hanging);
    world.redis.resume();
    expect(await deadLettersNow()).toBe(deadLetters);
  });

  it('waits while Postgres takes nobody, spends no tries on it, and goes on when it does', async () => {
    const deadLetters = await deadLettersNow();
    const child = await started();
    await world.barDatabase(true);
    const origins = await world.receive(webhooks(20, 2));
    await waitUntil('it says so', () => child.lines.some((line) => line.includes('dependency.away')));
    await world.barDatabase(false);
    await settled(origins);
    expect(await deadLettersNow()).toBe(deadLetters);
  });
});

describe('the dedup service, with a Postgres that answers nothing', () => {
  it('waits, spends no tries on it, and goes on when it answers', async () => {
    const server = new URL(world.databaseUrl);
    const link = await startTcpProxy({ host: server.hostname, port: Number(server.port) }, Math.random);
    try {
      const deadLetters = await deadLettersNow();
      const url = new URL(server);
      url.host = `127.0.0.1:${link.port}`;
      const child = await started({ HOOKLINE_DATABASE_URL: url.href });
      await link.set({ kind: 'black-hole', direction: 'both' });
      const origins = await world.receive(webhooks(20, 2));
      await waitUntil('it says so', () => child.lines.some((line) => line.includes('dependency.away')));
      await link.set(undefined);
      await settled(origins);
      expect(await deadLettersNow()).toBe(deadLetters);
    } finally {
      await world.stopServices();
      await link.close();
    }
  });
});

describe('the dedup service, with keys that somebody else has locked', () => {
  it('waits for their tenant, spends no tries on it, and goes on when they are free', async () => {
    const deadLetters = await deadLettersNow();
    const child = await started();
    const origins: string[] = [];
    await world.whileDatabaseHangs(async () => {
      origins.push(...(await world.receive(webhooks(20, 2))));
      await waitUntil('it says so', () => child.lines.some((line) => line.includes('tenant.waited_for')));
    });
    await settled(origins);
    expect(await deadLettersNow()).toBe(deadLetters);
  });
});

// Every point in every situation, without processes: crash-recovery.test.ts.
describe('the service, killed', () => {
  const atOnce = async (): Promise<unknown> => undefined;
  const afterRedisForgot = (): Promise<unknown> => world.redis.flushAll();
  it.each<[CrashPointName, string, () => Promise<unknown>]>([
    ['dedup.after-claim', 'at once', atOnce],
    ['dedup.after-insert', 'after Redis has lost everything', afterRedisForgot],
    ['dedup.after-publish', 'at once', atOnce],
    ['dedup.before-commit', 'after Redis has lost everything', afterRedisForgot],
  ])('at %s and started again %s, loses nothing and makes no second event id', async (point, _when, between) => {
    const dying = await started({ HOOKLINE_CRASH_POINT: `${point}@4` });
    const origins: string[] = [];
    const send = async () => void origins.push(...(await world.receive(webhooks(25, 2))));
    let ended = false;
    void dying.exited.then(() => (ended = true));
    await waitUntil('it dies', async () => (await send(), ended));
    const { signal, killedByTest } = await dying.exited;
    expect({ signal, killedByTest }).toEqual({ signal: 'SIGKILL', killedByTest: false });
    await send();

    await between();
    await started();
    const outcomes = await settled(origins);
    expect(new Set(eventsOf(outcomes, origins).map(({ id }) => id)).size).toBe(origins.length / 2);
  });
});

describe('two of the service at once', () => {
  it('share the partitions, and leave one event id per key when one of them is killed', async () => {
    const [one] = await Promise.all([started(), started()]);
    const origins: string[] = [];
    for (let round = 0; round < 10; round += 1) {
      origins.push(...(await world.receive(webhooks(50, 2))));
      if (round === 4) one.kill('SIGKILL');
    }
    await settled(origins);
  });
});

describe('a Redis that evicts', () => {
  it('is refused: the service does not start', async () => {
    await world.redis.restartEvicting();
    const child = await world.spawn();
    const { code } = await within('it ends', 30_000, child.exited);
    expect(code).toBe(1);
    expect(child.lines.join('\n')).toContain('it must be noeviction');
  });
});

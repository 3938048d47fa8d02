import { createHttpClient, type HttpClient, type HttpResult, parseAllowedNetworks } from '#lib/http-client';
import type { Clock } from '#lib/runtime';
import { openZoo, type Zoo } from '../../support/receiver-zoo/zoo.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createWatchedClock } from '../../support/watched-clock.ts';
import { watchConnectionAttempts } from './connection-attempts.ts';

const timeoutMs = 5_000;

type Animal = Zoo['animals'][number];

describe('an attempt to deliver to', () => {
  let zoo: Zoo;
  const clock = createWatchedClock(1);
  /** For those who take the client to its limits. */
  const fastClock = createWatchedClock(5);
  let client: HttpClient;
  let fastClient: HttpClient;
  let watched: ReturnType<typeof watchConnectionAttempts>;

  async function createClient(ofClock: Clock): Promise<HttpClient> {
    const created = createHttpClient({
      clock: ofClock,
      allowHttp: true,
      allowedNetworks: parseAllowedNetworks(['127.0.0.0/8']),
      maxConnectionsPerHost: 4,
      resolve: async () => ['127.0.0.1'],
      ca: zoo.ca,
    });
    await created.start();
    return created;
  }
  beforeAll(async () => {
    zoo = await openZoo();
    watched = watchConnectionAttempts();
    client = await createClient(clock);
    fastClient = await createClient(fastClock);
  });
  afterAll(async () => {
    watched.stop();
    await Promise.all([client.stop(), fastClient.stop()]);
    await zoo.stop();
  });

  const post = ({ url, isSlow }: Animal, body = Buffer.from('{}')): Promise<HttpResult> =>
    (isSlow === true ? fastClient : client).send({ url, method: 'POST', headers: {}, body, timeoutMs });
  const animal = (name: string): Animal => {
    const found = zoo.animals.find((each) => each.name === name);
    if (found === undefined) throw new Error(`no receiver ${name}`);
    return found;
  };

  /** @returns the outcomes of those that did not end as expected */
  async function wrongOf(each: Animal, turns: number): Promise<unknown[]> {
    const results: HttpResult[] = [];
    for (let turn = 0; turn < turns; turn += 1) results.push(await post(each));
    results.push(...(await Promise.all(Array.from({ length: 6 }, () => post(each)))));
    return results
      .filter((result) =>
        Object.entries(each.expected).some(([key, value]) => result[key as keyof HttpResult] !== value),
      )
      .map((result) => ({ name: each.name, expected: each.expected, result }));
  }

  it('each kind of receiver ends as it should: one after the other, and more at once than there are connections', async () => {
    const wrong: unknown[] = [];
    for (const each of zoo.animals) if (each.isSlow !== true) wrong.push(...(await wrongOf(each, 5)));
    expect(wrong).toEqual([]);
  });

  it('each kind that never comes to an end is ended by a limit', async () => {
    const slow = zoo.animals.filter(({ isSlow }) => isSlow === true);
    const startedAtMs = performance.now();
    expect((await Promise.all(slow.map((each) => wrongOf(each, 1)))).flat()).toEqual([]);
    // One after the other, then two more than there are connections: three limits of five seconds, five times as fast.
    expect(performance.now() - startedAtMs).toBeLessThan(10_000);
  });

  it('one that sends a bomb keeps its bytes as they came', async () => {
    const result = await post(animal('sends a gzip bomb'));
    if (!('status' in result)) throw new Error('no answer');
    expect(result.excerpt.length).toBe(8 * 1024);
    expect(result.excerpt.subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
    expect(result.headers).toContainEqual(['content-encoding', 'gzip']);
  });

  it('one that refuses before it has read a large body is told from one that breaks off', async () => {
    expect(await post(animal('refuses before it has read'), Buffer.alloc(1024 * 1024, 32))).toMatchObject({
      outcome: 'http_4xx',
      status: 413,
    });
  });

  it('all of them leaves nothing behind: no limit that runs, no socket but an idle one, and none when it is stopped', async () => {
    await waitUntil('no limit runs', () => clock.waiting + fastClock.waiting === 0, {
      timeoutMs: 5_000,
      everyMs: 10,
    });
    await waitUntil('idle connections have closed', () => watched.openSockets() === 0, {
      timeoutMs: 10_000,
      describe: () => `${watched.openSockets()} sockets are open`,
    });
    expect(await post(animal('answers'))).toMatchObject({ outcome: 'delivered' });
    expect(await post(animal('answers'))).toMatchObject({ outcome: 'delivered' });
    // The first connection may not be free again yet when the second request comes.
    expect(watched.openSockets()).toBeLessThanOrEqual(2);
    await Promise.all([client.stop(), fastClient.stop()]);
    await waitUntil('the last has closed', () => watched.openSockets() === 0);
  });
});

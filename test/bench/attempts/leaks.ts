/**
 * Attempts by the ten thousand to receivers of every kind, directly and by proxies, over many hosts and routes; and what is left of them: the
 * sender's sockets, timers and memory, after every tenth of them, once idle connections have closed. Exits 1 if any of it grows, or an
 * attempt ends as it should not.
 *
 *   npm run -s attempt-leaks -- --attempts 100000 --concurrency 32 --seed 1
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createHttpClient, type HttpResult, type HttpRoute, parseAllowedNetworks } from '#lib/http-client';
import { systemClock } from '#lib/runtime';
import type { Zoo } from '../../support/receiver-zoo/zoo.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { createEvidenceRecorder } from '../../evidence/evidence.ts';
import { createWatchedClock } from '../../support/watched-clock.ts';

const { values } = parseArgs({
  options: {
    attempts: { type: 'string', default: '100000' },
    concurrency: { type: 'string', default: '32' },
    seed: { type: 'string', default: '1' },
    record: { type: 'boolean', default: false },
  },
});
const record = createEvidenceRecorder('attempt-leaks', values.record);
const [attempts, concurrency, seed] = [values.attempts, values.concurrency, values.seed].map(Number) as [
  number,
  number,
  number,
];

const rounds = 10;
/** Limits pass so much faster, so that receivers that hang do not make the run one of hours. */
const speed = 10;
const timeoutMs = 5_000;
const slowShare = 0.03;
const proxyShare = 0.1;
const hosts = 5_000;
const routes = 500;
/** Longer than a connection is kept idle. */
const settlingMs = 5_500;
/** The difference of a heap from one collection to the next, code and caches that fill up included. */
const heapToleranceMb = 6;

type Mix = Pick<Zoo, 'animals' | 'ca'> & { proxyPort: number };
interface Sample {
  attempts: number;
  sockets: number;
  timers: number;
  limits: number;
  heapMb: number;
}

const zoo = fork(fileURLToPath(new URL('zoo-process.ts', import.meta.url)));
const [mix] = (await once(zoo, 'message')) as [Mix];
const random = seededRandom(seed);
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
const slow = mix.animals.filter(({ isSlow }) => isSlow === true);
const quick = mix.animals.filter(({ isSlow }) => isSlow !== true);

const clock = createWatchedClock(speed);
const client = createHttpClient({
  clock,
  allowHttp: true,
  allowedNetworks: parseAllowedNetworks(['127.0.0.0/8']),
  maxConnectionsPerHost: concurrency,
  resolve: async () => ['127.0.0.1'],
  ca: mix.ca,
});
await client.start();

const outcomes = new Map<string, number>();
const wrong = new Map<string, number>();
const count = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);

async function attempt(): Promise<void> {
  const animal = pick(random() < slowShare ? slow : quick);
  const url = new URL(animal.url);
  if (url.protocol === 'http:') url.hostname = `h${Math.floor(random() * hosts)}.test`;
  const byProxy = random() < proxyShare && animal.expected.outcome === 'delivered';
  const route: HttpRoute | undefined = byProxy
    ? { proxy: `http://user${Math.floor(random() * routes)}:secret@proxy.test:${mix.proxyPort}` }
    : undefined;
  const body = Buffer.alloc(Math.floor(random() * 4_000), 'x');
  const result = await client.send({ url: url.href, method: 'POST', headers: {}, body, timeoutMs, route });
  count(outcomes, result.outcome);
  const { expected } = animal;
  // On a loaded machine, what is quick may take longer than the quickened limits.
  if (result.outcome !== expected.outcome && result.outcome !== 'timeout') count(wrong, describe(animal.name, result));
}

const describe = (name: string, result: HttpResult): string =>
  `${name}: ${result.outcome}${'detail' in result ? ` (${result.detail})` : ''}`;

async function sample(done: number): Promise<Sample> {
  await systemClock.sleep(settlingMs);
  globalThis.gc?.();
  await systemClock.sleep(50);
  globalThis.gc?.();
  const resources = process.getActiveResourcesInfo();
  const counted = (kinds: string[]): number => resources.filter((kind) => kinds.includes(kind)).length;
  return {
    attempts: done,
    sockets: counted(['TCPSocketWrap', 'TLSWrap', 'TCPWRAP']),
    timers: counted(['Timeout']),
    limits: clock.waiting,
    heapMb: Math.round((process.memoryUsage().heapUsed / 2 ** 20) * 10) / 10,
  };
}

const startedAtMs = performance.now();
const samples: Sample[] = [];
let sendingMs = 0;
for (let round = 1; round <= rounds; round += 1) {
  const roundAtMs = performance.now();
  let left = Math.ceil(attempts / rounds);
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (left > 0) {
        left -= 1;
        await attempt();
      }
    }),
  );
  sendingMs += performance.now() - roundAtMs;
  const taken = await sample(Math.ceil(attempts / rounds) * round);
  samples.push(taken);
  console.log(
    `${taken.attempts} attempts: ${taken.sockets} sockets, ${taken.timers} timers, ${taken.limits} limits, heap ${taken.heapMb} MB`,
  );
}
await client.stop();
zoo.disconnect();

console.log(
  `${Math.round(attempts / (sendingMs / 1e3))} attempts a second; ${Math.round((performance.now() - startedAtMs) / 1e3)} s; seed ${seed}`,
);
console.log(Object.fromEntries([...outcomes].sort()));

const [first, last] = [samples[1], samples.at(-1)];
const problems = [
  ...[...wrong].map(([what, times]) => `ended as it should not, ${times} times: ${what}`),
  ...samples.flatMap(({ attempts: at, sockets, limits }) =>
    sockets + limits > 0 ? [`after ${at} attempts, ${sockets} sockets and ${limits} limits are left`] : [],
  ),
  ...(first !== undefined && last !== undefined && last.heapMb > first.heapMb + heapToleranceMb
    ? [`the heap has grown from ${first.heapMb} to ${last.heapMb} MB`]
    : []),
  ...(first !== undefined && last !== undefined && last.timers > first.timers ? ['timers have grown'] : []),
];
for (const problem of problems) console.error(problem);
const found = problems.length === 0 ? 'each as it should be' : `**missed**: ${problems.join('; ')}`;
record(
  `${attempts} attempts, ${found}; then ${last?.sockets} sockets, ${last?.limits} limits, heap ${first?.heapMb} to ${last?.heapMb} MB`,
);
process.exitCode = problems.length === 0 ? 0 : 1;

import { createRedis, type Redis } from '#lib/redis';
import { silentLogger, systemClock } from '#lib/runtime';
import { caseOf, describeIdempotency, runCase } from '../../unit/idempotency/cases.ts';
import type { AnyStore, Subject, WorldOptions } from '../../unit/idempotency/world.ts';
import { serverAddresses } from '../../support/servers.ts';
import { createPostgresSubject, type EffectsDatabase, openEffects, type SubjectOptions } from './postgres-subject.ts';

let database: EffectsDatabase;
let redis: Redis;
beforeAll(async () => {
  database = await openEffects();
  redis = createRedis({
    url: serverAddresses().redisUrl,
    name: 'test-idempotency',
    clock: systemClock,
    log: silentLogger,
  });
  await redis.start();
});
afterAll(async () => {
  await redis.stop();
  await database.close();
});

describeIdempotency('Postgres', () => createPostgresSubject(database));
describeIdempotency('Postgres, Redis in front', () => createPostgresSubject(database, { redis }));

type Begun = Awaited<ReturnType<AnyStore['begin']>>;
type BegunRun = Extract<Begun, { kind: 'run' }>;

const everyRun =
  (change: (begun: BegunRun, store: AnyStore) => Begun) =>
  (store: AnyStore): AnyStore => ({
    ...store,
    async begin(request) {
      const begun = await store.begin(request);
      return begun.kind === 'run' ? change(begun, store) : begun;
    },
  });

/** Asks, then runs, and writes the row when the effect is there already. */
const readThenSet = (store: AnyStore): AnyStore => ({
  ...store,
  async begin(request) {
    const found = await store.find(request);
    if (found.kind !== 'none') return found;
    return {
      kind: 'run',
      run: {
        effects: store.unkeyed as unknown,
        renew: async () => true,
        commit: async () => 'kept',
        release: async () => 'released',
        async complete(response) {
          const begun = await store.begin(request);
          if (begun.kind === 'run') await begun.run.complete(response);
          return 'kept';
        },
      },
    };
  },
});

const effectOutside = everyRun(({ run }, store) => ({
  kind: 'run',
  run: { ...run, effects: store.unkeyed as unknown },
}));

const answerFirst = everyRun(({ run }) => ({
  kind: 'run',
  run: {
    ...run,
    async complete(response) {
      void run.complete(response);
      return 'kept';
    },
  },
}));

interface Mutant {
  name: string;
  seenBy: string;
  wrong: SubjectOptions;
  world?: (options: WorldOptions) => WorldOptions;
}

const wrapped =
  (mutate: (store: AnyStore) => AnyStore) =>
  (options: WorldOptions): WorldOptions => ({
    ...options,
    wrap: (store, instance) => mutate(options.wrap?.(store, instance) ?? store),
  });

const processClock = (): string => `to_timestamp(${(Date.now() + 7 * 24 * 3_600_000) / 1_000})`;

const mutants: readonly Mutant[] = [
  {
    name: 'that does not compare the token',
    seenBy: 'a late owner does not replace a provisional answer that has been replayed',
    wrong: { rewrite: (sql) => sql.replace(/AND token = \$4(?=\s+RETURNING)/, 'AND $4::bytea IS NOT NULL') },
  },
  {
    name: 'that reads, and then sets',
    seenBy: 'of 100 requests at once at two processes one is carried out, and all others are conflicts or replays',
    wrong: {},
    world: wrapped(readThenSet),
  },
  {
    name: 'that has the effect outside of the row’s transaction',
    seenBy: 'what a handler did before it threw is taken back, and the next request is carried out',
    wrong: {},
    world: wrapped(effectOutside),
  },
  {
    name: 'that answers before the COMMIT',
    seenBy: 'nothing of an answer leaves before it is kept',
    wrong: {},
    world: wrapped(answerFirst),
  },
  {
    name: 'whose hash is without the query',
    seenBy: 'another query under the same key is 422',
    wrong: {},
    world: (options) => ({
      ...options,
      onRequest: ({ raw }) => void (raw.url = raw.url?.replace(/\?.*/, '')),
    }),
  },
  {
    name: 'that judges the expiry by a process’s clock',
    seenBy:
      'a repetition gets the same status, bytes and descriptive headers, marked, and nothing that belonged to one connection',
    wrong: { rewrite: (sql) => sql.replaceAll(/(expires_at (?:<=|>)) clock_timestamp\(\)/g, `$1 ${processClock()}`) },
  },
  {
    name: 'whose lease nobody ends',
    seenBy: 'a run that nobody ends keeps others from running until its lease is over, and no longer',
    wrong: { rewrite: (sql) => sql.replace('idle_in_transaction_session_timeout', 'application_name') },
  },
];

describe('a plugin', () => {
  test.each(mutants.map((mutant) => [mutant.name, mutant] as const))(
    '(mutant) %s fails a case that it passes without',
    async (_name, { seenBy, wrong, world }) => {
      const subjectOf = (options: SubjectOptions): Subject => createPostgresSubject(database, options);
      await runCase(caseOf(seenBy), subjectOf({}));
      await expect(runCase(caseOf(seenBy), subjectOf(wrong), world)).rejects.toThrow();
    },
  );
});

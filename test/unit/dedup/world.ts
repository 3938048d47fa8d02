import { deserialize, serialize } from 'node:v8';
import {
  type DeadLetterFacts,
  type ReadDeadLetter,
  type DuplicateRecord,
  type EventRecord,
  parseDeadLetter,
  parseDuplicate,
  topicsOf,
} from '#lib/contract';
import type { DiedRecord } from '#lib/dead-letters';
import { createDedupStore, type DedupStore, type KeyTable } from '#lib/dedup-store';
import type { MatchNarrow } from '#lib/fan-out';
import type { OutgoingRecord, RecordProducer } from '#lib/kafka';
import {
  AppError,
  type CrashPointName,
  createManualClock,
  type Logger,
  type ManualClock,
  silentLogger,
} from '#lib/runtime';
import type { Enforcement } from '#lib/schema-checks';
import { Metrics } from '#lib/telemetry';
import { createDedup, type Dedup, type DedupDeps } from '../../../services/dedup/dedup.ts';
import { createFakeKeyMemory, type FakeKeyMemory } from '../dedup-store/fake-key-memory.ts';
import { createFakeKeyTable, type FakeKeyTable } from '../dedup-store/fake-key-table.ts';
import { nothingEnforced } from '../../support/nothing-enforced.ts';
import { nothingErased } from '../../support/nothing-erased.ts';

export const topics = topicsOf('test.');

/** Kills a worker at a crash point: nothing after it runs. */
export class Crash extends Error {}

export interface World {
  clock: ManualClock;
  memory: FakeKeyMemory;
  table: FakeKeyTable;
  kafka: FakeKafka;
  /** Dead letters that stand in Postgres alone. */
  kept: { died: DiedRecord; facts: DeadLetterFacts }[];
}

interface FakeKafka extends Pick<RecordProducer, 'send'> {
  written: OutgoingRecord[];
  /** Asked before each record is written; throws to refuse it. */
  beforeSend: (record: OutgoingRecord) => void;
  events(): EventRecord[];
  duplicates(): DuplicateRecord[];
  deadLetters(): (ReadDeadLetter & { record: OutgoingRecord })[];
}

export function createWorld(): World {
  const clock = createManualClock();
  const written: OutgoingRecord[] = [];
  const on = (topic: string) => written.filter((record) => record.topic === topic);
  const well = <T extends object>(parsed: T | { malformed: string }): T => {
    if ('malformed' in parsed) throw new Error(parsed.malformed);
    return parsed;
  };
  const kafka: FakeKafka = {
    written,
    beforeSend: () => undefined,
    async send(record) {
      kafka.beforeSend(record);
      written.push(record);
      return { topic: record.topic, partition: 0, offset: BigInt(written.length) };
    },
    events: () => on(topics.events).map(({ value }) => deserialize(value) as EventRecord),
    duplicates: () => on(topics.duplicates).map(({ value }) => well(parseDuplicate(value))),
    deadLetters: () =>
      on(topics['dead-letters']).map((record) => ({
        ...well(parseDeadLetter(record.headers as Record<string, string>)),
        record,
      })),
  };
  const [memory, table] = [createFakeKeyMemory(clock.nowMs), createFakeKeyTable(clock.nowMs)];
  return { clock, memory, table, kafka, kept: [] };
}

export interface Worker extends Dedup {
  failures: Error[];
  count(outcome: string): Promise<number>;
  deadLetters(reason: string): Promise<number>;
}

interface WorkerOptions {
  /** Dies here, at the n-th passing. */
  crashAt?: { point: CrashPointName; passing?: number };
  /** Ways to break it: the protections that are to be missing. */
  breakTable?: (table: KeyTable) => KeyTable;
  breakStore?: (store: DedupStore, world: World) => DedupStore;
  log?: Logger;
  erased?: DedupDeps['erased'];
  onDropped?: DedupDeps['onDropped'];
  /** Default: every event is left to the fan-out consumer. */
  matchNarrow?: MatchNarrow;
  /** Default: no type is enforced. */
  enforcement?: Enforcement;
  /** Awaited before each of its calls to the outside. */
  turn?: () => Promise<void>;
  /** How long completions are gathered. Default: not at all, and `handle` resolves when they are made. */
  completeWithinMs?: number;
}

const intact = <T>(part: T): T => part;
const leftToConsumer: MatchNarrow = () => ({ wide: 'endpoints' });

/** One process: its own memory, the world's Redis, Postgres and Kafka. */
export function createWorker(world: World, options: WorkerOptions = {}): Worker {
  const { crashAt, breakTable = intact, breakStore = intact, log = silentLogger, turn } = options;
  const { matchNarrow = leftToConsumer, enforcement = nothingEnforced, completeWithinMs } = options;
  const { memory, table, kafka } = turn === undefined ? world : takingTurns(world, turn);
  const metrics = new Metrics();
  const failures: Error[] = [];
  let passings = 0;
  const dedup = createDedup({
    ...nothingErased,
    lag: { note: () => undefined },
    ...(options.erased && { erased: options.erased }),
    ...(options.onDropped && { onDropped: options.onDropped }),
    store: breakStore(createDedupStore({ memory, table: breakTable(table) }), world),
    keepDeadLetter: async (died, facts) => void world.kept.push({ died, facts }),
    producer: kafka,
    topics,
    encodeEvent: (event) => serialize(event),
    matchNarrow,
    enforcement,
    crashPoints: {
      reach(point) {
        if (point !== crashAt?.point) return;
        passings += 1;
        if (passings === (crashAt.passing ?? 1)) throw new Crash(point);
      },
    },
    completeWithinMs: completeWithinMs ?? 0,
    metrics,
    clock: world.clock,
    random: () => 0,
    log,
    fail: (error) => void failures.push(error),
  });

  const valueOf = async (name: string, labels: Record<string, string>): Promise<number> => {
    const metric = await metrics.getSingleMetric(name)?.get();
    const matches = (given: object) =>
      Object.entries(labels).every(([key, value]) => (given as typeof labels)[key] === value);
    return metric?.values.filter(({ labels: given }) => matches(given)).reduce((sum, { value }) => sum + value, 0) ?? 0;
  };
  return {
    ...dedup,
    handle: completeWithinMs === undefined ? untilCompleted(dedup, failures) : dedup.handle,
    failures,
    count: (outcome) => valueOf('hookline_dedup_records_total', { outcome }),
    deadLetters: (reason) => valueOf('hookline_dead_letters_total', { stage: 'dedup', reason }),
  };
}

/** An error in the work on the rows ends the process. */
export const untilCompleted =
  ({ handle, completed }: Pick<Dedup, 'handle' | 'completed'>, failures: readonly Error[]): Dedup['handle'] =>
  async (records, signal) => {
    await handle(records, signal);
    await completed();
    if (failures[0] !== undefined) throw failures[0].cause;
  };

function takingTurns(
  { memory, table, kafka }: World,
  turn: () => Promise<void>,
): Pick<World, 'memory' | 'table' | 'kafka'> {
  const calls = ['recall', 'remember', 'insert', 'read', 'takeOver', 'complete', 'remove', 'send'];
  const delayed = <T extends object>(part: T): T =>
    new Proxy(part, {
      get(target, name, receiver) {
        const member: unknown = Reflect.get(target, name, receiver);
        if (typeof member !== 'function' || !calls.includes(String(name))) return member;
        return async (...args: unknown[]): Promise<unknown> => {
          await turn();
          return (member as (...given: unknown[]) => unknown)(...args);
        };
      },
    });
  return { memory: delayed(memory), table: delayed(table), kafka: delayed(kafka) };
}

export const never = new AbortController().signal;

export const refuse = (): never => {
  throw new AppError('data_invalid', 'refused by the fake');
};
export const away = (): never => {
  throw new AppError('kafka_unavailable', 'the fake is away');
};

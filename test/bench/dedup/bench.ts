/**
 * Measures what dedup does with a second of processor time, against a loop of the same batches on Redis and Postgres without Kafka, and
 * against that loop plus a copy of the same records from topic to topic, which is the minimum with Kafka.
 *
 * In turns: the loop and the copy, each in its own process; then as many webhooks, a fifth of them repetitions, wait on their topic for a
 * dedup process, measured from ready to the last commit. Each turn has its own keys. In the end each webhook is one event, and each
 * repetition one duplicate.
 */
import { join } from 'node:path';
import { hooklineDir } from '#deploy/local/paths.ts';
import { createWorld } from '../../integration/dedup/world.ts';
import type { Bench, BenchReport, BegunBench } from '../support/bench.ts';
import { copyRecords } from '../support/copy-records.ts';
import { describeProfile } from '../support/describe-profile.ts';
import { inProcess } from '../support/in-process.ts';
import { onTestServers } from '../support/on-test-servers.ts';
import type { LoopJob, LoopReport } from './bare-loop-process.ts';
import { namesOf, runDedup, type Turn, writeAll } from './run-dedup.ts';

type Settings = 'records' | 'bytes' | 'turns' | 'batch';

const partitions = 3;

export const dedupBench: Bench<Settings> = {
  name: 'dedup',
  says: 'one dedup process beside a loop of the same batches of Redis and Postgres without Kafka',
  numbers: { records: 50_000, bytes: 2_048, turns: 3, batch: 500 },
  run: onTestServers((begun) => measure(begun)),
};

async function measure({ numbers, profile, say }: BegunBench<Settings>): Promise<BenchReport> {
  const { records, bytes, turns, batch } = numbers;
  const [loops, copies, ours]: [Turn[], Turn[], Turn[]] = [[], [], []];
  const [unaccounted, notes]: [string[], string[]] = [[], []];
  for (let turn = 1; turn <= turns; turn += 1) {
    const names = namesOf(records, turn);
    const distinct = new Set(names).size;
    const world = await createWorld({ partitions });
    try {
      const { databaseUrl, redisUrl, topicPrefix } = world;
      const job: LoopJob = { databaseUrl, redisUrl, topicPrefix, turn, names, batch, atOnce: partitions };
      const loop = await inProcess<LoopJob, LoopReport>(join(import.meta.dirname, 'bare-loop-process.ts'), job);
      if (loop.first !== distinct)
        unaccounted.push(`turn ${turn}: the loop took ${loop.first} of ${distinct} for first`);
      loops.push({ ...loop, records });
      await writeAll(world, names, bytes);
      const { 'webhooks.received': from, deliveries: to } = world.topics;
      copies.push({ ...(await copyRecords({ from, to, records })), records });
      const profileFile =
        profile && turn === turns ? join(hooklineDir, 'profiles', `dedup-${process.pid}.cpuprofile`) : undefined;
      ours.push(await runDedup(world, { records, profileFile }));
      const { events, duplicates } = await world.ends();
      if (events !== distinct || duplicates !== records - distinct)
        unaccounted.push(`turn ${turn}: of ${records} records ${events} events and ${duplicates} duplicates came`);
      if (profileFile !== undefined) notes.push(describeProfile(profileFile));
    } finally {
      await world.stopServices();
      await world.stop();
    }
    say(
      `turn ${turn}: loop ${describe(loops.at(-1))}; copy ${describe(copies.at(-1))}; dedup ${describe(ours.at(-1))}`,
    );
  }
  const each = (of: readonly Turn[], value: (turn: Turn) => number): number[] =>
    of.map((turn) => turn.records / value(turn));
  return {
    setUp: `${records} records of ${bytes} bytes, a fifth of them repetitions, ${partitions} partitions, ${turns} turns; the loop in batches of ${batch}`,
    figures: [
      {
        name: 'records',
        unit: 'a second of processor time',
        aim: { atLeast: 0.7 },
        values: each(ours, (turn) => turn.processorSeconds),
        ceiling: { name: 'loop', values: each(loops, (turn) => turn.processorSeconds) },
      },
      {
        name: 'records, beside loop and copy',
        unit: 'a second of processor time',
        values: each(ours, (turn) => turn.processorSeconds),
        ceiling: {
          name: 'loop and copy',
          values: loops.map((loop, turn) => records / (loop.processorSeconds + (copies[turn]?.processorSeconds ?? 0))),
        },
      },
      {
        name: 'records in time',
        unit: 'a second',
        values: each(ours, ({ seconds }) => seconds),
        ceiling: { name: 'loop', values: each(loops, ({ seconds }) => seconds) },
      },
    ],
    notes,
    unaccounted,
  };
}

const describe = (turn: Turn | undefined): string =>
  turn === undefined
    ? ''
    : `${(turn.records / turn.processorSeconds).toFixed(0)} a second of processor time, ${(turn.records / turn.seconds).toFixed(0)} a second`;

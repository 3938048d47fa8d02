/**
 * How many events of one tenant a projector makes readable in a second: of webhooks that were delivered, each an event, a set and an outcome for
 * each endpoint, which wait on their topics. Before it, in the same database, a loop that inserts the same rows as they are in the end, as many
 * in a transaction, without Kafka and without a clock.
 *
 * In the end each event is there, completed, with an instant of its own.
 */
import { join } from 'node:path';
import { hooklineDir } from '#deploy/local/paths.ts';
import { createWorld, type World } from '../../integration/dispatcher/world.ts';
import type { Bench, BenchReport, BegunBench } from '../support/bench.ts';
import { describeProfile } from '../support/describe-profile.ts';
import { inProcess } from '../support/in-process.ts';
import { onTestServers } from '../support/on-test-servers.ts';
import type { LoopJob, LoopReport } from './bare-loop-process.ts';
import { deliveredWebhook, tenants } from './records.ts';
import { type ProjectorTurn, runProjector, writeAll } from './run-projector.ts';

type Settings = 'events' | 'bytes' | 'endpoints' | 'turns' | 'batch';

const partitions = 3;

export const projectingBench: Bench<Settings> = {
  name: 'projecting',
  says: 'one projector process with the events of one tenant, beside a loop that inserts the same rows',
  // A transaction of the projector has five hundred records at the most, three for each event.
  numbers: { events: 20_000, bytes: 2_048, endpoints: 1, turns: 3, batch: 167 },
  run: onTestServers((begun) => measure(begun)),
};

async function measure({ numbers, profile, say }: BegunBench<Settings>): Promise<BenchReport> {
  const { events, bytes, endpoints, turns, batch } = numbers;
  const [loops, ours]: [LoopReport[], ProjectorTurn[]] = [[], []];
  const [unaccounted, notes]: [string[], string[]] = [[], []];
  for (let turn = 1; turn <= turns; turn += 1) {
    const world = await createWorld(`projecting-${turn}`, { partitions });
    try {
      const job: LoopJob = { databaseUrl: world.databaseUrl, events, bytes, endpoints, batch };
      loops.push(await inProcess<LoopJob, LoopReport>(join(import.meta.dirname, 'bare-loop-process.ts'), job));
      // A database that has been in use for a minute: with empty tables, statements are planned for any index.
      await world.postgres.query('ANALYZE');
      await writeAll(
        world,
        Array.from({ length: events }, (_, n) => deliveredWebhook(n, { tenant: tenants.projected, bytes, endpoints })),
      );
      const profileFile =
        profile && turn === turns ? join(hooklineDir, 'profiles', `projecting-${process.pid}.cpuprofile`) : undefined;
      ours.push(await runProjector(world, profileFile));
      unaccounted.push(...(await troubles(world, { events, endpoints })).map((trouble) => `turn ${turn}: ${trouble}`));
      if (profileFile !== undefined) notes.push(describeProfile(profileFile));
    } finally {
      await world.stop();
    }
    say(`turn ${turn}: loop ${perSecond(events, loops.at(-1))}; projector ${describe(ours.at(-1))}`);
  }
  const of = (value: (turn: ProjectorTurn) => number): number[] => ours.map(value);
  return {
    setUp: `${events} events of ${bytes} bytes, ${endpoints} deliveries each, one tenant, ${partitions} partitions, ${turns} turns; the loop with ${batch} events in a transaction`,
    figures: [
      {
        name: 'events',
        unit: 'a second',
        aim: { atLeast: 0.5 },
        values: of((turn) => turn.events / turn.seconds),
        ceiling: { name: 'loop', values: loops.map(({ seconds }) => events / seconds) },
      },
      {
        name: 'processor time of the projector',
        unit: 'µs an event',
        values: of((turn) => (turn.processorSeconds * 1e6) / turn.events),
        ceiling: { name: 'loop', values: loops.map(({ processorSeconds }) => (processorSeconds * 1e6) / events) },
      },
      {
        name: 'processor time of Postgres',
        unit: 'µs an event',
        values: of((turn) => (turn.postgresSeconds * 1e6) / turn.events),
      },
      {
        name: 'processor time of Postgres in sessions that take clocks',
        unit: 'µs an event',
        values: of((turn) => (turn.clockSeconds * 1e6) / turn.events),
        isDetail: true,
      },
      { name: 'statements', unit: 'an event', values: of((turn) => turn.statements / turn.events), isDetail: true },
      { name: 'transactions', unit: 'an event', values: of((turn) => turn.transactions / turn.events), isDetail: true },
    ],
    notes,
    unaccounted,
  };
}

/** Rows of the webhooks that are not as they must be in the end. */
async function troubles(world: World, sent: { events: number; endpoints: number }): Promise<string[]> {
  const [row] = await world.postgres.query<
    Record<'completed' | 'delivered' | 'instants' | 'payloads' | 'attempts', number>
  >(
    `SELECT count(*) FILTER (WHERE status = 'completed')::int AS completed, coalesce(sum(delivered), 0)::int AS delivered,
            count(DISTINCT updated_at)::int AS instants,
            (SELECT count(*)::int FROM event_payloads WHERE tenant = $1) AS payloads,
            (SELECT count(*)::int FROM attempts WHERE tenant = $1) AS attempts
       FROM events
      WHERE tenant = $1`,
    [tenants.projected],
  );
  const deliveries = sent.events * sent.endpoints;
  const expected = {
    completed: sent.events,
    delivered: deliveries,
    instants: sent.events,
    payloads: sent.events,
    attempts: deliveries,
  };
  return Object.entries(expected).flatMap(([what, count]) => {
    const found = row?.[what as keyof typeof expected];
    return found === count ? [] : [`${what}: ${found} of ${count}`];
  });
}

const perSecond = (events: number, turn: LoopReport | undefined): string =>
  `${(events / (turn?.seconds ?? Number.NaN)).toFixed(0)} a second`;

const describe = (turn: ProjectorTurn | undefined): string =>
  turn === undefined
    ? ''
    : `${(turn.events / turn.seconds).toFixed(0)} a second, ${((turn.processorSeconds * 1e6) / turn.events).toFixed(0)} µs of its own and ` +
      `${((turn.postgresSeconds * 1e6) / turn.events).toFixed(0)} of Postgres an event, ` +
      `${((turn.clockSeconds * 1e6) / turn.events).toFixed(0)} of that in sessions that take clocks`;

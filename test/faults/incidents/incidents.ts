/** Incidents in the life of an operator, and the alerts that are to report each, with their times. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Pipeline, ProcessName } from '../../support/pipeline.ts';
import { pipelineServices } from '../../support/stack.ts';
import type { FaultyServer, OwnServers } from '../support/servers.ts';
import { processesOf } from '../system/faults/processes.ts';
import type { SteadyLoad } from './load.ts';

export interface IncidentWorld {
  pipeline: Pipeline;
  servers: OwnServers;
  load: SteadyLoad;
  /** Names of the receiver's endpoints that reset every connection. */
  down: Set<string>;
}

export interface Incident {
  name: string;
  says: string;
  /** The alerts that must fire, with the time in s within which each has to. */
  fires: Readonly<Record<string, number>>;
  /** Alerts that may fire: they show the same incident from another side, if it lasts. */
  may: readonly string[];
  /** Resolves when all is as before. */
  inflict(world: IncidentWorld): Promise<void>;
}

export const downEndpoint = 'down';

/** As the rules are scraped and evaluated in production, and what an alert may be late by for that. */
export const everySeconds = 15;
const late = 3 * everySeconds;
const minutes = (count: number): number => 60 * count;

/** A dependency is away for a minute at all times, and then for another. */
const awayWithin = minutes(2) + late;

const stopFor = async (server: FaultyServer, seconds: number): Promise<void> => {
  await server.stop();
  await delay(1_000 * seconds);
  await server.start();
};

const endpointDown: Incident = {
  name: 'endpoint-down',
  says: 'one endpoint of two resets every connection for 17 minutes',
  fires: { HooklineBreakerOpenLong: minutes(15) + 2 * late },
  may: [],
  async inflict({ down }) {
    down.add(downEndpoint);
    await delay(1_000 * minutes(17));
    down.delete(downEndpoint);
  },
};

const burst: Incident = {
  name: 'burst',
  says: 'ten times the rate for two minutes',
  fires: {},
  may: [],
  async inflict({ load }) {
    load.setFactor(10);
    await delay(1_000 * minutes(2));
    load.setFactor(1);
  },
};

const redisStopped: Incident = {
  name: 'redis-stopped',
  says: 'Redis is away for four minutes, and empty then',
  fires: { HooklineRedisAway: awayWithin },
  may: [],
  inflict: ({ servers }) => stopFor(servers.redis, minutes(4)),
};

const secretChanged: Incident = {
  name: 'secret-changed',
  says: 'a provider signs with another secret for nine minutes',
  fires: { HooklineRejectionsHigh: minutes(8) },
  may: [],
  async inflict({ load }) {
    load.forge(true);
    await delay(1_000 * minutes(9));
    load.forge(false);
  },
};

const rollingRestart: Incident = {
  name: 'rolling-restart',
  says: 'every process in turn is taken out of the balancer, stopped by SIGTERM, started, and put in again',
  fires: {},
  may: [],
  async inflict({ pipeline, load }) {
    const restart = (name: ProcessName): Promise<void> => load.without(name, () => pipeline.restartService(name));
    for (const service of pipelineServices) for (const name of processesOf(service)) await restart(name);
  },
};

const dispatchersStopped: Incident = {
  name: 'dispatchers-stopped',
  says: 'no dispatcher runs for three minutes',
  fires: { HooklineServiceDown: minutes(1) + late },
  may: [],
  async inflict({ pipeline }) {
    const dispatchers = processesOf('dispatcher');
    await Promise.all(dispatchers.map((name) => pipeline.stopService(name)));
    await delay(1_000 * minutes(3));
    await Promise.all(dispatchers.map((name) => pipeline.startService(name)));
  },
};

const kafkaStopped: Incident = {
  name: 'kafka-stopped',
  says: 'Kafka is away for four minutes',
  fires: { HooklineKafkaAway: awayWithin, HooklineIngressUnavailable: minutes(2) + 2 * late },
  may: [
    'HooklineAcknowledgmentsSlow',
    'HooklineConsumerWithoutGroup',
    'HooklineKafkaLeaderless',
    'HooklineOutboxStuck',
  ],
  inflict: ({ servers }) => stopFor(servers.kafka, minutes(4)),
};

const postgresStopped: Incident = {
  name: 'postgres-stopped',
  says: 'Postgres is away for seven minutes',
  fires: { HooklinePostgresAway: awayWithin, HooklineApiErrors: minutes(5) + 2 * late },
  may: ['HooklineConsumerBehind', 'HooklineDeliveriesSlow', 'HooklinePostgresPoolExhausted'],
  inflict: ({ servers }) => stopFor(servers.postgres, minutes(7)),
};

/** One stretch after the other; in a stretch each list beside the others, one incident after the other. */
export const stretches: readonly (readonly (readonly Incident[])[])[] = [
  [[endpointDown], [secretChanged], [redisStopped, burst]],
  [[rollingRestart, dispatchersStopped, kafkaStopped, postgresStopped]],
];

export const incidents: readonly Incident[] = stretches.flat(2);

/** Disturbances of a running system, each written down as a fault with its times. */
import { setTimeout as delay } from 'node:timers/promises';
import type { CrashPointName } from '#lib/runtime';
import { type Pipeline, type PlannedKill, type ProcessName, serviceOf } from '../../support/pipeline.ts';
import { shuffled } from '../../support/seeded-random.ts';
import type { ServiceName } from '../../support/stack.ts';
import { waitUntil } from '../../support/wait-until.ts';
import type { Fault } from '../checker/history.ts';
import type { GroupWatch } from './group-watch.ts';
import type { FaultyServer, FaultyServers } from './servers.ts';

export interface Havoc {
  random: () => number;
  /** How often a scenario does what it does; 1 in the small form. */
  turns: number;
  /** Every point so many times, in any order, each at one of its first passings: how many of them there are to choose from. */
  kills<Point extends CrashPointName>(
    points: readonly Point[],
    times: number,
    maxTurn: number | Readonly<Record<Point, number>>,
  ): PlannedKill[];
  killAlong(name: ProcessName, kills: readonly PlannedKill[], beforeRestart?: () => Promise<void>): Promise<void>;
  /** Kills the process at a random moment. */
  kill(name: ProcessName): Promise<void>;
  /** Stops the process until the group has continued without it, and some seconds more; then continues it. */
  outlive(zombie: ProcessName, heir: ProcessName): Promise<void>;
  /** Stops the process for so long, then continues it, whoever has its partitions by then. */
  freeze(name: ProcessName, seconds: number): Promise<void>;
  /** One more member of the group comes, stays for so long, and goes in order. */
  visit(name: ProcessName, seconds: number): Promise<void>;
  pause(leastMs: number, mostMs: number): Promise<void>;
  /** Redis: FLUSHALL. */
  forget(): Promise<void>;
  /** `stopped`: connections are refused. `killed`: the same, without a goodbye. `hanging`: it takes connections and answers nothing. */
  away(server: keyof FaultyServers, how: 'stopped' | 'killed' | 'hanging', seconds: number): Promise<void>;
}

interface Options {
  pipeline: Pipeline;
  servers: Partial<FaultyServers>;
  groupWatch: GroupWatch;
  /** The members of the group that is watched. */
  peers: readonly ProcessName[];
  random: () => number;
  turns: number;
  /** The factor for times away: below 1 in the small form. */
  awayScale: number;
  /** Faults of servers; the pipeline keeps those of processes. */
  faults: Fault[];
  say(line: string): void;
}

const takeoverTimeoutMs = 60_000;
/** How long the heir works on what the zombie has in hand. */
const afterTakeoverMs = 4_000;
/** Until what had begun while a server was away has ended: the longest time-outs and pauses between tries. */
const settlingMs = 10_000;

export function createHavoc(options: Options): Havoc {
  const { pipeline, servers, groupWatch, peers, random, turns, awayScale, faults, say } = options;

  const during = async (what: string, work: () => Promise<void>, service?: ServiceName): Promise<void> => {
    const fault: Fault = { what, ...(service && { service }), atMs: Date.now(), settledAtMs: Number.POSITIVE_INFINITY };
    faults.push(fault);
    const startMs = performance.now();
    await work();
    fault.settledAtMs = Date.now() + settlingMs;
    say(`${what}, back after ${((performance.now() - startMs) / 1000).toFixed(1)} s`);
  };
  const serverOf = <Name extends keyof FaultyServers>(name: Name): NonNullable<FaultyServers[Name]> => {
    const server = servers[name];
    if (server === undefined) throw new Error(`${name} is not this run's own: it can't be taken away`);
    return server;
  };

  return {
    random,
    turns,
    kills: (points, times, maxTurn) =>
      shuffled(Array.from({ length: times }, () => points).flat(), random).map((point) => ({
        point,
        turn: 1 + Math.floor(random() * (typeof maxTurn === 'number' ? maxTurn : maxTurn[point])),
      })),
    async killAlong(name, kills, beforeRestart) {
      const exits = await pipeline.killAlong(kills, beforeRestart, name);
      const others = exits.filter(({ signal, killedByTest }) => signal !== 'SIGKILL' || killedByTest);
      if (others.length > 0) throw new Error(`${name} did not die of its crash points: ${JSON.stringify(others)}`);
      say(`${name} died at ${kills.map(({ point, turn }) => `${point}@${turn}`).join(', ')}`);
    },
    async kill(name) {
      await pipeline.killService(name);
      say(`${name} was killed`);
    },
    async outlive(zombie, heir) {
      await pipeline.freezeService(zombie, async () => {
        await groupWatch.untilOwnsAll(heir, takeoverTimeoutMs);
        await delay(afterTakeoverMs);
      });
      await waitUntil('both have partitions again', () => peers.every((name) => groupWatch.owned(name) > 0), {
        timeoutMs: takeoverTimeoutMs,
      });
      say(`${zombie} slept until ${heir} had taken over, and came back`);
    },
    async freeze(name, seconds) {
      await pipeline.freezeService(name, async () => void (await delay(seconds * 1000)));
      say(`${name} slept for ${seconds} s`);
    },
    visit: (name, seconds) =>
      during(
        `${name} joins and leaves`,
        async () => {
          await pipeline.startService(name);
          await delay(seconds * 1000);
          const { code, signal } = await pipeline.stopService(name);
          if (code !== 0) throw new Error(`${name} did not stop in order: ${code ?? signal}`);
        },
        serviceOf(name),
      ),
    pause: async (leastMs, mostMs) => void (await delay(leastMs + random() * (mostMs - leastMs))),
    forget: () => during('Redis: FLUSHALL', () => serverOf('redis').forget()),
    async away(name, how, seconds) {
      const server: FaultyServer & { kill?(): Promise<void> } = serverOf(name);
      const ms = seconds * 1000 * awayScale;
      await during(`${name} ${how} for ${ms / 1000} s`, async () => {
        if (how === 'hanging') {
          server.hang();
          await delay(ms).finally(() => server.resume());
          return;
        }
        await (how === 'killed' ? (server.kill ?? server.stop)() : server.stop());
        await delay(ms);
        await server.start();
      });
    },
  };
}

/** What a scenario may do to a running system, each thing written down as a fault with its times. */
import { setTimeout as delay } from 'node:timers/promises';
import type { CrashPointName } from '#lib/crash-points';
import type { Pipeline, PlannedKill, ProcessName } from '../../support/pipeline.ts';
import { shuffled } from '../../support/seeded-random.ts';
import { waitUntil } from '../../support/wait-until.ts';
import type { Fault } from '../checker/history.ts';
import type { GroupWatch } from './group-watch.ts';
import type { FaultyServer, FaultyServers } from './servers.ts';

export const dedups = ['dedup', 'dedup-2'] as const satisfies readonly ProcessName[];
export type DedupName = (typeof dedups)[number];

export interface Havoc {
  random: () => number;
  /** How often a scenario does what it does; 1 in the small form. */
  turns: number;
  /** Every point so many times, in any order, each at one of its first passings. */
  kills(points: readonly CrashPointName[], times: number, maxTurn: number): PlannedKill[];
  killAlong(name: ProcessName, kills: readonly PlannedKill[], beforeRestart?: () => Promise<void>): Promise<void>;
  /** At a moment that nobody has chosen. */
  kill(name: ProcessName): Promise<void>;
  /** Stopped until the group has gone on without it, and some seconds more; then it goes on where it was. */
  outlive(zombie: DedupName, heir: DedupName): Promise<void>;
  pause(leastMs: number, mostMs: number): Promise<void>;
  /** Redis: FLUSHALL. */
  forget(): Promise<void>;
  /** `stopped`: connections are refused. `killed`: the same, without a goodbye. `hanging`: it takes connections and answers nothing. */
  away(server: keyof FaultyServers, how: 'stopped' | 'killed' | 'hanging', seconds: number): Promise<void>;
}

interface Options {
  pipeline: Pipeline;
  servers: FaultyServers;
  groupWatch: GroupWatch;
  random: () => number;
  turns: number;
  /** What times away are multiplied with: below 1 in the small form. */
  awayScale: number;
  /** Faults of servers go here; those of processes are the pipeline's. */
  faults: Fault[];
  say(line: string): void;
}

const takeoverTimeoutMs = 60_000;
/** How long the heir works on what the zombie has in hand. */
const afterTakeoverMs = 4_000;
/** Until what had begun while a server was away has ended: the longest time-outs and pauses between tries. */
const settlingMs = 10_000;

export function createHavoc(options: Options): Havoc {
  const { pipeline, servers, groupWatch, random, turns, awayScale, faults, say } = options;

  const during = async (what: string, work: () => Promise<void>): Promise<void> => {
    const fault: Fault = { what, atMs: Date.now(), settledAtMs: Number.POSITIVE_INFINITY };
    faults.push(fault);
    const startMs = performance.now();
    await work();
    fault.settledAtMs = Date.now() + settlingMs;
    say(`${what}, back after ${((performance.now() - startMs) / 1000).toFixed(1)} s`);
  };
  const serverOf = (name: keyof FaultyServers): FaultyServer & { kill?(): Promise<void> } => {
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
        turn: 1 + Math.floor(random() * maxTurn),
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
      await waitUntil('both have partitions again', () => dedups.every((name) => groupWatch.owned(name) > 0), {
        timeoutMs: takeoverTimeoutMs,
      });
      say(`${zombie} slept until ${heir} had taken over, and came back`);
    },
    pause: async (leastMs, mostMs) => void (await delay(leastMs + random() * (mostMs - leastMs))),
    forget: () => during('Redis: FLUSHALL', () => servers.redis.forget()),
    async away(name, how, seconds) {
      const server = serverOf(name);
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

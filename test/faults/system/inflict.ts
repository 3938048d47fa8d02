import { setTimeout as delay } from 'node:timers/promises';
import { type Pipeline, type Restart, serviceOf } from '../../support/pipeline.ts';
import type { Fault } from '../checker/history.ts';
import type { GroupWatch } from '../support/group-watch.ts';
import { createHavoc } from '../support/havoc.ts';
import type { Bystanders } from './bystanders.ts';
import type { Clocks } from './clocks.ts';
import type { FaultKind, FaultWorld } from './fault-kind.ts';
import type { SystemServers } from './servers.ts';

interface Options {
  pipeline: Pipeline;
  servers: SystemServers;
  groupWatch: GroupWatch;
  clocks: Clocks;
  bystanders: Bystanders;
}

/** Until what a fault of a server or a link had begun has ended: the longest time-outs and pauses between tries. */
const settlingMs = 10_000;

/** @returns what does it to this system; what it does to servers and links is written down in `faults` */
export function inflictIn(
  { pipeline, servers, groupWatch, clocks, bystanders }: Options,
  faults: Fault[],
): (kind: FaultKind, random: () => number) => Promise<void> {
  const during: FaultWorld['during'] = async (what, work, service) => {
    const fault: Fault = { what, ...(service && { service }), atMs: Date.now(), settledAtMs: Number.POSITIVE_INFINITY };
    faults.push(fault);
    await work();
    fault.settledAtMs = Date.now() + settlingMs;
  };
  return (kind, random) => {
    const common = { pipeline, servers, random };
    const havoc = createHavoc({
      ...common,
      groupWatch,
      peers: [],
      turns: 1,
      awayScale: 1,
      faults,
      say: () => undefined,
    });
    const pause: FaultWorld['pause'] = async (leastMs, mostMs) =>
      void (await delay(leastMs + random() * (mostMs - leastMs)));
    return kind.inflict({ ...common, clocks, bystanders, havoc, pause, during });
  };
}

/** By their names, why they can't be done here. */
export const leftOutOf = (kinds: readonly FaultKind[], servers: SystemServers): Record<string, string> =>
  Object.fromEntries(
    kinds.flatMap(({ name, leftOut }) => {
      const why = leftOut?.(servers);
      return why === undefined ? [] : [[name, why] as const];
    }),
  );

/** The fault of a process that has ended by itself. */
export const deathOf = ({ name, atMs, how }: Restart): Fault => ({
  what: `${name} ended with ${how}`,
  service: serviceOf(name),
  process: name,
  deadly: true,
  atMs,
  settledAtMs: atMs + settlingMs,
});

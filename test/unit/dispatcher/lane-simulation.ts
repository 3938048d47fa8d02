/**
 * The scheduler with what it knows of endpoints, under a load that does not wait for it: endpoints that answer, hang, refuse, are slow, or
 * are down for a while. Time is the test's. A parked delivery comes back as a row when there is room for it, as it would from the table.
 */
import { createManualClock, silentLogger } from '#lib/runtime';
import { createEndpointHealth, type EndpointHealth } from '../../../services/dispatcher/endpoints/endpoint-health.ts';
import { createScheduler } from '../../../services/dispatcher/lanes/scheduler.ts';
import type { SendVerdict } from '../../../services/dispatcher/endpoints/send-verdict.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { aRecordJob, aRowJob, noMetrics } from './fixtures.ts';

export type Behaviour =
  | { kind: 'healthy'; latencyMs: number }
  | { kind: 'hangs' | 'refuses' }
  /** As `kind`, but healthy from then on. */
  | { kind: 'recovers'; from: 'hangs' | 'refuses'; atMs: number };

export interface Mutant {
  /** Learns nothing about endpoints. */
  careless?: boolean;
}

export interface EndpointResult {
  behaviour: Behaviour['kind'];
  sends: number;
  /** For each accepted delivery: from its offer. */
  latenciesMs: number[];
  /** Offered and not taken. */
  open: number;
}

export interface SimulationResult {
  endpoints: EndpointResult[];
  /** In flight at sick endpoints, at the most, once every one of them has had time to be found out. */
  sickInFlight: number;
}

interface Options {
  seed: number;
  behaviours: readonly Behaviour[];
  inFlight: number;
  /** Offered to each endpoint, in clumps. */
  perSecond: number;
  clump: number;
  forMs: number;
  mutant?: Mutant;
}

const timeoutMs = 5_000;
const tickMs = 10;
const foundOutAfterMs = 3 * timeoutMs;

export async function simulateLanes(options: Options): Promise<SimulationResult> {
  const { behaviours, perSecond, clump, forMs, mutant = {} } = options;
  const random = seededRandom(options.seed);
  const clock = createManualClock();
  const startMs = clock.monotonicMs();
  const sinceStartMs = (): number => clock.monotonicMs() - startMs;
  const results = behaviours.map(({ kind }): EndpointResult => ({
    behaviour: kind,
    sends: 0,
    latenciesMs: [],
    open: 0,
  }));
  const offeredAtMs = new Map<string, number>();
  /** As the table has them: the oldest first. */
  const waiting = new Map<number, string[]>(behaviours.map((_, at) => [at, []]));
  const inFlight = behaviours.map(() => 0);
  let sickInFlight = 0;

  const stateOf = (at: number): 'healthy' | 'hangs' | 'refuses' => {
    const behaviour = behaviours[at] as Behaviour;
    if (behaviour.kind !== 'recovers') return behaviour.kind;
    return sinceStartMs() < behaviour.atMs ? behaviour.from : 'healthy';
  };
  const latencyOf = (at: number): number => {
    const behaviour = behaviours[at] as Behaviour;
    return (behaviour.kind === 'healthy' ? behaviour.latencyMs : 20) * (0.5 + random());
  };
  const indexOf = (endpointId: string): number => Number(endpointId.slice(3));

  async function answer(at: number): Promise<SendVerdict> {
    const state = stateOf(at);
    await clock.sleep(state === 'hangs' ? timeoutMs : state === 'refuses' ? 1 : latencyOf(at));
    return { kind: state === 'healthy' ? 'well' : 'unreachable' };
  }

  const known = createEndpointHealth({
    factsOf: () => ({ maxInFlight: 10, revision: 1, isClosed: false }),
    metrics: noMetrics,
    onClosed: () => undefined,
    clock,
    random,
    log: silentLogger,
  });
  const careless: EndpointHealth = {
    standingOf: () => ({ kind: 'healthy', width: 10, pausedUntilMs: Number.NEGATIVE_INFINITY }),
    begin: () => () => undefined,
    remembered: () => [],
  };
  const scheduler = createScheduler({
    limits: {
      inFlight: options.inFlight,
      lane: { records: 200, bytes: 1e9, rows: 100 },
      totalRecords: 5_000,
      totalBytes: 1e9,
      totalRows: 2_000,
    },
    clock,
    health: mutant.careless ? careless : known,
    paceOf: () => undefined,
    takePermit: async () => 0,
    holdsMembership: () => true,
    async run({ delivery }, observed) {
      queuedRows.delete(delivery.id);
      const at = indexOf(delivery.endpointId);
      const result = results[at] as EndpointResult;
      result.sends += 1;
      inFlight[at] = (inFlight[at] ?? 0) + 1;
      const verdict = await answer(at);
      inFlight[at] -= 1;
      observed(verdict);
      if (verdict.kind === 'well') {
        result.latenciesMs.push(clock.monotonicMs() - (offeredAtMs.get(delivery.id) ?? 0));
        result.open -= 1;
        return 'over';
      }
      waiting.get(at)?.push(delivery.id);
      return 'waits';
    },
    async park({ delivery }) {
      waiting.get(indexOf(delivery.endpointId))?.push(delivery.id);
    },
    onHeldBack: () => undefined,
    onFailure: (error) => {
      throw error;
    },
    giveUp: () => undefined,
    drainMs: 1,
  });
  await scheduler.start();

  function offer(at: number, id: string): void {
    (results[at] as EndpointResult).open += 1;
    offeredAtMs.set(id, clock.monotonicMs());
    if (scheduler.offer(aRecordJob({ id, endpointId: `ep_${at}` })) === 'full') waiting.get(at)?.push(id);
  }

  const queuedRows = new Map<string, number>();
  async function readRows(): Promise<void> {
    // Let go: they stand in their table.
    for (const [id, at] of queuedRows) {
      if (scheduler.held({ tenant: 'acme', id }) !== undefined) continue;
      queuedRows.delete(id);
      waiting.get(at)?.unshift(id);
    }
    const { perLane, lanes } = await scheduler.waitingCapacity();
    const rooms = new Map(lanes.map(({ endpointId, room }) => [indexOf(endpointId), room]));
    for (const [at, ids] of waiting) {
      for (const id of ids.splice(0, rooms.get(at) ?? perLane)) {
        queuedRows.set(id, at);
        if (scheduler.offer(aRowJob({ id, endpointId: `ep_${at}` })) === 'queued') continue;
        queuedRows.delete(id);
        ids.unshift(id);
      }
    }
  }

  let count = 0;
  const everyMs = (1_000 * clump) / perSecond;
  const nextAtMs = behaviours.map(() => random() * everyMs);
  while (sinceStartMs() < forMs) {
    behaviours.forEach((_, at) => {
      while ((nextAtMs[at] ?? 0) <= sinceStartMs()) {
        for (let one = 0; one < clump; one += 1) offer(at, `dlv_${(count += 1)}`);
        nextAtMs[at] = (nextAtMs[at] ?? 0) + everyMs;
      }
    });
    if (sinceStartMs() % 500 === 0) await readRows();
    if (sinceStartMs() >= foundOutAfterMs) {
      const sick = inFlight.filter((_, at) => stateOf(at) !== 'healthy').reduce((sum, one) => sum + one, 0);
      sickInFlight = Math.max(sickInFlight, sick);
    }
    await clock.advance(tickMs);
  }
  return { endpoints: results, sickInFlight };
}

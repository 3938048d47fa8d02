/**
 * Who is sent next. A job's way through here:
 *
 *   offered ──► queued in its endpoint's lane ──► in flight ──► ended: its outcome is durable
 *      │            ├──► parked     a fresh one that found no place within 30 s, or at the stop
 *      │            └──► let go     its partition is lost; or a row that found no place: it stays in its table
 *      └──► refused: full | stopping
 *
 * Fair: lanes that may send take turns, one job each, up to the cap on what is in flight in all of them together. Bounded: a lane by its
 * limits, which are narrower once half of all room is used; all together by theirs; and what can't be written down keeps its place, so that an outage of
 * Kafka stops the sending.
 */
import type { Clock } from '#lib/clock';
import { toAppError } from '#lib/errors';
import { createPart, type Part } from '#lib/lifecycle';
import type { Delivery } from '#lib/contract';
import { deliveryKey, isAbandoned, type Job, laneKey, type RecordJob } from './job.ts';
import { createLane, type Lane, type LaneLimits } from './lane.ts';

export interface Scheduler {
  offer(job: Job): 'queued' | 'full' | 'stopping';
  /** The job that has this delivery in hand. */
  held(delivery: Pick<Delivery, 'tenant' | 'id'>): Job | undefined;
  heldRows(): Job[];
  /** Places for deliveries that have waited: in one lane where nothing else is said, in those that have less, in all together. */
  rowRoom(): { perLane: number; lanes: { tenant: string; endpointId: string; room: number }[]; total: number };
}

export interface SchedulerLimits extends LaneLimits {
  inFlight: number;
  /** Jobs in hand, in flight or not; those from the table have the same again for themselves. */
  totalRecords: number;
  totalBytes: number;
  totalRowPlaces: number;
}

interface Deps {
  limits: SchedulerLimits;
  clock: Clock;
  maxInFlightOf(endpoint: Pick<Delivery, 'tenant' | 'endpointId'>): number;
  /** Resolves when the outcome is durable. */
  run(job: Job): Promise<void>;
  park(job: RecordJob): Promise<void>;
  /** Neither of the two is expected to throw. */
  onFailure(error: Error): void;
  /** Told at the end of `drainMs`: whoever waits for Kafka ends now. */
  giveUp(): void;
  /** How long `stop` waits for what is in flight. */
  drainMs: number;
}

/** A commit waits for the lowest offset: nothing may hold one for longer. */
const startWithinMs = 30_000;
const sweepEveryMs = 1_000;

export function createScheduler(deps: Deps): Scheduler & Part {
  const { limits, clock } = deps;
  const lanes = new Map<string, Lane>();
  /** Lanes that may send, in the order of their turns. */
  const ready = new Set<Lane>();
  const held = new Map<string, Job>();
  const totals = { record: { jobs: 0, bytes: 0 }, row: { jobs: 0, bytes: 0 } };
  const stopping = new AbortController();
  const drained = Promise.withResolvers<void>();
  let inFlight = 0;
  let sweeping: Promise<void> = Promise.resolve();

  function fits(job: Job): boolean {
    const { jobs, bytes } = totals[job.from];
    const maxJobs = job.from === 'record' ? limits.totalRecords : limits.totalRowPlaces;
    return jobs === 0 || (jobs < maxJobs && bytes + job.delivery.payload.length <= limits.totalBytes);
  }

  const isCrowded = (): boolean =>
    totals.record.jobs > limits.totalRecords / 2 || totals.record.bytes > limits.totalBytes / 2;

  function offer(job: Job): 'queued' | 'full' | 'stopping' {
    if (stopping.signal.aborted) return 'stopping';
    if (!fits(job)) return 'full';
    const key = laneKey(job.delivery);
    const lane = lanes.get(key) ?? createLane(job.delivery, limits);
    if (!lane.offer(job, clock.monotonicMs(), isCrowded())) return 'full';
    lanes.set(key, lane);
    held.set(deliveryKey(job.delivery), job);
    totals[job.from].jobs += 1;
    totals[job.from].bytes += job.delivery.payload.length;
    queueTurn(lane);
    pump();
    return 'queued';
  }

  function queueTurn(lane: Lane): void {
    if (lane.queued() > 0 && lane.inFlight() < deps.maxInFlightOf(lane.endpoint)) ready.add(lane);
  }

  function pump(): void {
    while (inFlight < limits.inFlight && !stopping.signal.aborted) {
      const [lane] = ready;
      if (lane === undefined) return;
      ready.delete(lane);
      const job = lane.take();
      if (job === undefined) continue;
      inFlight += 1;
      // To the end of the line.
      queueTurn(lane);
      if (isAbandoned(job)) ended(lane, job);
      else void start(lane, job);
    }
  }

  async function start(lane: Lane, job: Job): Promise<void> {
    await deps.run(job).catch((error: unknown) => deps.onFailure(toAppError(error)));
    ended(lane, job);
    pump();
  }

  function ended(lane: Lane, job: Job): void {
    inFlight -= 1;
    lane.ended();
    release(lane, job);
    queueTurn(lane);
  }

  function release(lane: Lane, job: Job): void {
    held.delete(deliveryKey(job.delivery));
    totals[job.from].jobs -= 1;
    totals[job.from].bytes -= job.delivery.payload.length;
    const key = laneKey(lane.endpoint);
    // A job that was parked may outlive its lane, and find another in its place.
    if (lane.queued() === 0 && lane.inFlight() === 0 && lanes.get(key) === lane) {
      lanes.delete(key);
      ready.delete(lane);
    }
    if (stopping.signal.aborted && held.size === 0) drained.resolve();
  }

  /** Looks through the queues for what must not wait on. */
  function sweep(queuedBeforeMs: number): void {
    for (const lane of [...lanes.values()]) {
      const { abandoned, late } = lane.remove(queuedBeforeMs);
      for (const job of abandoned) release(lane, job);
      for (const job of late) {
        if (job.from === 'row') release(lane, job);
        else void park(lane, job);
      }
    }
  }

  async function park(lane: Lane, job: RecordJob): Promise<void> {
    await deps.park(job).catch((error: unknown) => deps.onFailure(toAppError(error)));
    release(lane, job);
  }

  async function keepSweeping(): Promise<void> {
    while (!stopping.signal.aborted) {
      await clock.sleep(sweepEveryMs, stopping.signal);
      if (!stopping.signal.aborted) sweep(clock.monotonicMs() - startWithinMs);
    }
  }

  /** What is queued is parked, so that the successor starts behind it and repeats nothing; what is in flight is waited for. */
  async function stop(): Promise<void> {
    stopping.abort();
    await sweeping;
    sweep(Number.POSITIVE_INFINITY);
    if (held.size === 0) return;
    const inTime = new AbortController();
    await Promise.race([drained.promise, clock.sleep(deps.drainMs, inTime.signal)]);
    inTime.abort();
    deps.giveUp();
  }

  return {
    ...createPart(
      'scheduler',
      async () => {
        sweeping = keepSweeping();
      },
      stop,
    ),
    offer,
    held: (delivery) => held.get(deliveryKey(delivery)),
    heldRows: () => [...held.values()].filter(({ from }) => from === 'row'),
    rowRoom: () => ({
      perLane: limits.rowPlaces,
      lanes: [...lanes.values()]
        .map((lane) => ({ ...lane.endpoint, room: lane.rowRoom() }))
        .filter(({ room }) => room < limits.rowPlaces),
      total: limits.totalRowPlaces - totals.row.jobs,
    }),
  };
}

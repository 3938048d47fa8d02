/**
 * Chooses the next delivery to send. The states of a job:
 *
 *   offered ──► queued in its endpoint's lane ──► in flight ──► ended: its outcome is durable
 *      ├──► in flight at once: the test of an endpoint that is not paused
 *      │            ├──► parked     a fresh one without a place for 30 s, or whose endpoint's breaker opens or that is paused, or at the stop
 *      │            └──► released   its partition is lost; or a row without a place: it stays in its table
 *      └──► refused: full | stopping
 *
 * If the first ordered delivery of a key waits instead of ending, those behind it are parked or released.
 *
 * A lane gets its turn (turns.ts) while it has queued jobs, fewer in flight than its endpoint may have now (endpoint-health.ts), is not
 * paused, and has a permit of its endpoint's rate. Limits: a lane has its places (lane-places.ts), a tenant its share. A delivery whose
 * outcome can't be written keeps its place, so an outage of Kafka stops sending.
 */
import type { Delivery } from '#lib/contract';
import { type Clock, createPart, inTurns, type Part, repeat, toAppError } from '#lib/runtime';
import { createSharedRoom } from '#lib/tenancy';
import type { EndpointHealth, Standing } from '../endpoints/endpoint-health.ts';
import type { SendVerdict } from '../endpoints/send-verdict.ts';
import type { Pace } from '../model/endpoint.ts';
import { type EndpointRef, isAbandoned, type Job, laneKey, type RecordJob } from '../model/job.ts';
import { createJobsInHand, type DispatcherShare, type JobLimits } from './jobs-in-hand.ts';
import { type LanePlaces, placesOf } from './lane-places.ts';
import { createLane, type Lane } from './lane.ts';
import { createTurns, laneClassOf } from './turns.ts';
import { lanesPerTurn, type WaitingCapacity, waitingCapacityOf } from './waiting-capacity.ts';

export interface Scheduler {
  offer(job: Job): 'queued' | 'full' | 'stopping';
  /** The job that has this delivery in hand. */
  held(delivery: Pick<Delivery, 'tenant' | 'id'>): Job | undefined;
  heldRows(): Job[];
  waitingCapacity(): Promise<WaitingCapacity>;
  /** The used part of each tenant's share, for tenants that hold any. */
  usage(share: DispatcherShare): Iterable<readonly [tenant: string, ratio: number]>;
}

export interface SchedulerLimits extends JobLimits {
  inFlight: number;
  lane: LanePlaces;
}

/** `over`: the delivery has ended. `waits`: only this job has. */
export type JobEnd = 'over' | 'waits';

/** Milliseconds until the endpoint's rate has a permit; 0: one was taken. */
export type TakePermit = (endpoint: EndpointRef, pace: Pace) => Promise<number>;

export interface SchedulerDeps {
  limits: SchedulerLimits;
  clock: Clock;
  health: EndpointHealth;
  paceOf(endpoint: EndpointRef): Pace | undefined;
  takePermit: TakePermit;
  /** False if another process may have our partitions: then no ordered delivery is sent. */
  holdsMembership(): boolean;
  /** A tenant has no room left for a delivery, which will be parked. */
  onHeldBack(share: DispatcherShare): void;
  /** Resolves when the outcome is durable. Calls `observed` as soon as the endpoint has answered, or failed to. */
  run(job: Job, observed: (verdict: SendVerdict) => void): Promise<JobEnd>;
  park(job: RecordJob): Promise<void>;
  /** A port has thrown, which is a bug. */
  onFailure(error: Error): void;
  /** Called at the end of `drainMs`: ends work that waits for Kafka. */
  giveUp(): void;
  /** How long `stop` waits for sends in flight. */
  drainMs: number;
}

/** A commit waits for the lowest offset: no queued delivery may hold it for longer. */
const startWithinMs = 30_000;
const sweepEveryMs = 1_000;
const askAgainWhoOwnsMs = 100;
/** Tests of endpoints, of all tenants, that are sent at once beside the lanes; further ones queue like any other. */
const mostPassing = 25;

export function createScheduler(deps: SchedulerDeps): Scheduler & Part {
  const { limits, clock, health } = deps;
  const lanes = new Map<string, Lane>();
  const places = createSharedRoom(limits.inFlight);
  const turns = createTurns<Lane>(places, clock);
  /** Lanes that send nothing until a time: their endpoint asked for it, or their rate is used up. */
  const paused = new Set<Lane>();
  const inHand = createJobsInHand(limits, deps.onHeldBack);
  /** The number of deliveries about to be parked, by lane and ordering key: nothing of the key goes before them. */
  const leaving = new Map<string, number>();
  /** Urgent sends under way. */
  let passing = 0;
  const stopping = new AbortController();
  const drained = Promise.withResolvers<void>();
  let sweeping: Promise<void> = Promise.resolve();

  function placesIn(endpoint: EndpointRef, lane: Lane | undefined, standing: Standing): LanePlaces {
    // Only the probe, without any other send in flight.
    const isBusy = lane !== undefined && (lane.inFlight() > 0 || isQueued(lane));
    if (standing.kind === 'probe' && isBusy) return { records: 0, bytes: 0, rows: 0 };
    const { tenant } = endpoint;
    const crowded = { records: inHand.isCrowded(tenant, 'record'), rows: inHand.isCrowded(tenant, 'row') };
    return placesOf(standing, deps.paceOf(endpoint), limits.lane, { crowded, nowMs: clock.monotonicMs() });
  }

  function offer(job: Job): 'queued' | 'full' | 'stopping' {
    if (stopping.signal.aborted) return 'stopping';
    if (mayPass(job)) {
      void sendPast(job);
      return 'queued';
    }
    if (!inHand.hasRoomFor(job) || leaving.has(orderKey(job))) return 'full';
    const key = laneKey(job.delivery);
    const lane = lanes.get(key) ?? createLane(job.delivery);
    if (!lane.offer(job, clock.monotonicMs(), placesIn(job.delivery, lane, health.standingOf(job.delivery))))
      return 'full';
    lanes.set(key, lane);
    inHand.add(job);
    placeInLine(lane);
    pump();
    return 'queued';
  }

  /** A test of an endpoint, of which somebody waits to hear. A paused endpoint gets nothing. */
  const mayPass = (job: Job): boolean =>
    job.from === 'record' &&
    job.delivery.isUrgent === true &&
    job.order === undefined &&
    passing < mostPassing &&
    health.standingOf(job.delivery).kind !== 'paused';

  /** Sends beside the queue of its lane, whatever the breaker says; the breaker takes it for the probe that it waits for. */
  async function sendPast(job: Job): Promise<void> {
    passing += 1;
    inHand.add(job);
    const reportVerdict = health.begin(job.delivery);
    let observed = false;
    await deps
      .run(job, (verdict) => {
        observed = true;
        reportVerdict(verdict);
        const lane = lanes.get(laneKey(job.delivery));
        if (lane !== undefined) reconsider(lane);
      })
      .catch((error: unknown) => deps.onFailure(toAppError(error)));
    if (!observed) reportVerdict(undefined);
    passing -= 1;
    release(job);
  }

  function placeInLine(lane: Lane): void {
    const standing = health.standingOf(lane.endpoint);
    const inFlight = lane.inFlight();
    const couldSend = lane.wantsPlace() && inFlight < standing.width;
    if (couldSend) pause(lane, standing.pausedUntilMs);
    if (couldSend && mayNotBeOurs(lane)) pause(lane, clock.monotonicMs() + askAgainWhoOwnsMs);
    turns.place(lane, {
      tenant: lane.endpoint.tenant,
      wantsTurn: couldSend && !paused.has(lane),
      class: laneClassOf(standing),
      inFlight,
      answeredAtMs: lane.answeredAtMs(),
    });
  }

  const mayNotBeOurs = (lane: Lane): boolean => lane.isOrdered() && !deps.holdsMembership();

  function pause(lane: Lane, untilMs: number): void {
    const forMs = untilMs - clock.monotonicMs();
    if (forMs <= 0 || paused.has(lane)) return;
    paused.add(lane);
    void clock.sleep(forMs, stopping.signal).then(() => {
      paused.delete(lane);
      placeInLine(lane);
      pump();
    });
  }

  function pump(): void {
    while (!stopping.signal.aborted) {
      const lane = turns.next();
      if (lane === undefined) return;
      if (mayNotBeOurs(lane)) {
        placeInLine(lane);
        continue;
      }
      lane.reservePlace();
      placeInLine(lane);
      const pace = deps.paceOf(lane.endpoint);
      if (pace === undefined) sendNext(lane);
      else void sendPaced(lane, pace);
    }
  }

  /** Keeps the place while it waits for the permit, so that a granted permit is used at once. */
  async function sendPaced(lane: Lane, pace: Pace): Promise<void> {
    const waitMs = await deps.takePermit(lane.endpoint, pace).catch((error: unknown) => {
      deps.onFailure(toAppError(error));
      return sweepEveryMs;
    });
    // The answer may have taken long, or this process was frozen: membership is checked again.
    if (waitMs > 0 || mayNotBeOurs(lane)) {
      pause(lane, clock.monotonicMs() + waitMs);
      lane.releasePlace();
      placeInLine(lane);
      dropIfEmpty(lane);
    } else sendNext(lane);
    pump();
  }

  function sendNext(lane: Lane): void {
    const job = lane.take();
    if (job !== undefined && !isAbandoned(job)) return void send(lane, job);
    if (job !== undefined) release(job);
    ended(lane, job, 'waits');
  }

  async function send(lane: Lane, job: Job): Promise<void> {
    const reportVerdict = health.begin(job.delivery);
    let observed = false;
    const observe = (verdict: SendVerdict): void => {
      observed = true;
      if (verdict.kind === 'well') lane.answered(clock.monotonicMs());
      reportVerdict(verdict);
      reconsider(lane);
    };
    const end = await deps.run(job, observe).catch((error: unknown): JobEnd => {
      deps.onFailure(toAppError(error));
      return 'waits';
    });
    if (!observed) reportVerdict(undefined);
    release(job);
    ended(lane, job, end);
    pump();
  }

  /** The endpoint's standing has changed: with an open breaker, or in a pause, nothing waits here. */
  function reconsider(lane: Lane): void {
    const { kind } = health.standingOf(lane.endpoint);
    if (kind === 'open' || kind === 'probe' || kind === 'paused') removeQueued(lane, Number.POSITIVE_INFINITY);
    placeInLine(lane);
    pump();
  }

  function ended(lane: Lane, job: Job | undefined, how: JobEnd): void {
    releaseOrPark(lane.ended(job, how));
    placeInLine(lane);
    dropIfEmpty(lane);
  }

  function dropIfEmpty(lane: Lane): void {
    const key = laneKey(lane.endpoint);
    // A job that was parked may outlive its lane, and find another in its place.
    if (!isQueued(lane) && lane.inFlight() === 0 && lanes.get(key) === lane) lanes.delete(key);
  }

  function release(job: Job): void {
    inHand.remove(job);
    if (stopping.signal.aborted && inHand.count() === 0) drained.resolve();
  }

  /** Takes out of the queue the jobs that must not wait on. */
  function removeQueued(lane: Lane, queuedBeforeMs: number): void {
    const { abandoned, late } = lane.remove(queuedBeforeMs);
    for (const job of abandoned) release(job);
    releaseOrPark(late);
    placeInLine(lane);
    dropIfEmpty(lane);
  }

  /** Releases rows, which stay in their table and are found there again, and parks the others. */
  function releaseOrPark(jobs: readonly Job[]): void {
    for (const job of jobs) {
      if (job.from === 'row' || isAbandoned(job)) release(job);
      else void park(job);
    }
  }

  async function park(job: RecordJob): Promise<void> {
    const key = orderKey(job);
    leaving.set(key, (leaving.get(key) ?? 0) + 1);
    await deps.park(job).catch((error: unknown) => deps.onFailure(toAppError(error)));
    const others = (leaving.get(key) ?? 1) - 1;
    if (others > 0) leaving.set(key, others);
    else leaving.delete(key);
    release(job);
  }

  async function sweep(): Promise<void> {
    for await (const some of inTurns([...lanes], lanesPerTurn)) {
      if (stopping.signal.aborted) return;
      for (const [key, lane] of some) {
        if (lanes.get(key) !== lane) continue;
        const isPaused = health.standingOf(lane.endpoint).kind === 'paused';
        removeQueued(lane, isPaused ? Number.POSITIVE_INFINITY : clock.monotonicMs() - startWithinMs);
      }
    }
  }

  /** Parks the queued jobs, so that the successor repeats nothing; waits for those in flight. */
  async function stop(): Promise<void> {
    stopping.abort();
    await sweeping;
    for (const lane of [...lanes.values()]) removeQueued(lane, Number.POSITIVE_INFINITY);
    if (inHand.count() === 0) return;
    const inTime = new AbortController();
    await Promise.race([drained.promise, clock.sleep(deps.drainMs, inTime.signal)]);
    inTime.abort();
    deps.giveUp();
  }

  return {
    ...createPart(
      'scheduler',
      async () => {
        sweeping = repeat(sweep, { everyMs: sweepEveryMs, waitsFirst: true, clock }, stopping.signal);
      },
      stop,
    ),
    offer,
    held: inHand.get,
    heldRows: inHand.rows,
    waitingCapacity: () => waitingCapacityOf({ lanes, health, inHand, limits: limits.lane, placesIn }),
    usage: (share) => (share === 'places_in_flight' ? places : inHand.rooms[share]).usage(),
  };
}

/** Without an order, a delivery follows no other. */
const orderKey = ({ delivery, order }: Job): string =>
  `${laneKey(delivery)}/${order === undefined ? delivery.id : order.key}`;

function isQueued(lane: Lane): boolean {
  const { records, rows } = lane.queued();
  return records + rows > 0;
}

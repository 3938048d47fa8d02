/**
 * Who is sent next. A job's way through here:
 *
 *   offered ──► queued in its endpoint's lane ──► in flight ──► ended: its outcome is durable
 *      │            ├──► parked     a fresh one that found no place within 30 s, whose endpoint's breaker opens, or at the stop
 *      │            └──► let go     its partition is lost; or a row that found no place: it stays in its table
 *      └──► refused: full | stopping
 *
 * What is sent in an order has another way out: where the first of its key waits, instead of ending, those behind it are parked or let go.
 *
 * A lane has its turn (turns.ts) while something is queued in it, it has less in flight than its endpoint takes now (endpoint-health.ts), it
 * is not paused, and its endpoint's rate has a permit left. Bounded: a lane by its places (lane-places.ts), a tenant by its share of the limits
 * here; and what can't be written down keeps its place, so that an outage of Kafka stops the sending.
 */
import type { Clock } from '#lib/clock';
import { toAppError } from '#lib/errors';
import { createPart, type Part } from '#lib/lifecycle';
import type { Delivery } from '#lib/contract';
import { createSharedRoom, type ShareName, type SharedRoom } from '#lib/tenancy';
import { type EndpointHealth, type EndpointRef, isTrying, laneClassOf } from './endpoint-health.ts';
import { deliveryKey, isAbandoned, type Job, laneKey, type RecordJob } from './job.ts';
import { createLane, type Lane } from './lane.ts';
import { type LanePlaces, type Pace, placesOf, rowsOfUnknown } from './lane-places.ts';
import type { SendVerdict } from './send-verdict.ts';
import { createTurns } from './turns.ts';
import type { LaneRoom, TenantRoom } from './waiting-table.ts';

/** What tenants share here. */
export const dispatcherShares = [
  'places_in_flight',
  'queued_deliveries',
  'queued_bytes',
  'queued_rows',
] as const satisfies ShareName[];
export type DispatcherShare = (typeof dispatcherShares)[number];

export interface Scheduler {
  offer(job: Job): 'queued' | 'full' | 'stopping';
  /** The job that has this delivery in hand. */
  held(delivery: Pick<Delivery, 'tenant' | 'id'>): Job | undefined;
  heldRows(): Job[];
  rowRoom(): RowRoom;
  /** Each tenant that holds some of what is shared, and how much of its share. */
  usage(share: DispatcherShare): Iterable<readonly [tenant: string, ratio: number]>;
}

/** Places for deliveries that have waited. */
export interface RowRoom {
  /** In one lane, and for one tenant, where nothing else is said. */
  perLane: number;
  perTenant: number;
  lanes: LaneRoom[];
  tenants: TenantRoom[];
  total: number;
}

export interface SchedulerLimits {
  inFlight: number;
  lane: LanePlaces;
  /** Jobs in hand, in flight or not; those from the table have the same bytes again for themselves. */
  totalRecords: number;
  totalBytes: number;
  totalRows: number;
}

/** Of the delivery, or only of this job: the delivery waits. */
export type JobEnd = 'over' | 'waits';

/** How long it is until the endpoint's rate has a permit; 0 where one was taken. */
export type TakePermit = (endpoint: EndpointRef, pace: Pace) => Promise<number>;

interface Deps {
  limits: SchedulerLimits;
  clock: Clock;
  health: EndpointHealth;
  paceOf(endpoint: EndpointRef): Pace | undefined;
  takePermit: TakePermit;
  /** False where another process may have our partitions: nothing is sent then that is in an order. */
  holdsMembership(): boolean;
  /** A tenant has no room left for a delivery, which will be parked. */
  onHeldBack(share: DispatcherShare): void;
  /** Resolves when the outcome is durable. `observed` is told as soon as the endpoint has answered, or not. */
  run(job: Job, observed: (verdict: SendVerdict) => void): Promise<JobEnd>;
  park(job: RecordJob): Promise<void>;
  /** None of the three is expected to throw. */
  onFailure(error: Error): void;
  /** Told at the end of `drainMs`: whoever waits for Kafka ends now. */
  giveUp(): void;
  /** How long `stop` waits for what is in flight. */
  drainMs: number;
}

/** A commit waits for the lowest offset: nothing may hold one for longer. */
const startWithinMs = 30_000;
const sweepEveryMs = 1_000;
const askAgainWhoOwnsMs = 100;
/** No tenant has this name: it stands for any that holds nothing. */
const newcomer = '';

export function createScheduler(deps: Deps): Scheduler & Part {
  const { limits, clock, health } = deps;
  const lanes = new Map<string, Lane>();
  const places = createSharedRoom(limits.inFlight);
  const turns = createTurns<Lane>(places, clock);
  /** Lanes that send nothing until a time: they were asked to, or their rate is used up. */
  const paused = new Set<Lane>();
  const held = new Map<string, Job>();
  /** Of the ordering keys, by lane, how many deliveries are about to be parked: nothing of the key goes before them. */
  const leaving = new Map<string, number>();
  const inHand: Record<Job['from'], { jobs: SharedRoom; bytes: SharedRoom }> = {
    record: { jobs: createSharedRoom(limits.totalRecords), bytes: createSharedRoom(limits.totalBytes) },
    row: { jobs: createSharedRoom(limits.totalRows), bytes: createSharedRoom(limits.totalBytes) },
  };
  const stopping = new AbortController();
  const drained = Promise.withResolvers<void>();
  let sweeping: Promise<void> = Promise.resolve();

  function fits({ from, delivery: { tenant, payload } }: Job): boolean {
    const { jobs, bytes } = inHand[from];
    const [hasJobs, hasBytes] = [jobs.mayTake(tenant), bytes.mayTake(tenant, payload.length)];
    if (from === 'record' && !hasJobs) deps.onHeldBack('queued_deliveries');
    if (from === 'record' && !hasBytes) deps.onHeldBack('queued_bytes');
    return hasJobs && hasBytes;
  }

  function take({ from, delivery: { tenant, payload } }: Job, sign: 1 | -1): void {
    inHand[from].jobs.take(tenant, sign);
    inHand[from].bytes.take(tenant, sign * payload.length);
  }

  /** Of its share of places for these jobs, or for their bytes, the tenant has used more than half. */
  function isCrowded(tenant: string, from: Job['from']): boolean {
    const { jobs, bytes } = inHand[from];
    return [jobs, bytes].some((room) => room.held(tenant) > room.shareOf(tenant) / 2);
  }

  function placesIn(endpoint: EndpointRef, lane: Lane | undefined): LanePlaces {
    const standing = health.standingOf(endpoint);
    // One probe, and nothing beside it, not even what was begun before.
    const isBusy = lane !== undefined && (lane.inFlight() > 0 || isQueued(lane));
    if (standing.kind === 'probe' && isBusy) return { records: 0, bytes: 0, rows: 0 };
    const { tenant } = endpoint;
    const crowded = { records: isCrowded(tenant, 'record'), rows: isCrowded(tenant, 'row') };
    return placesOf(standing, deps.paceOf(endpoint), limits.lane, { crowded, nowMs: clock.monotonicMs() });
  }

  function offer(job: Job): 'queued' | 'full' | 'stopping' {
    if (stopping.signal.aborted) return 'stopping';
    if (!fits(job) || leaving.has(orderKey(job))) return 'full';
    const key = laneKey(job.delivery);
    const lane = lanes.get(key) ?? createLane(job.delivery);
    if (!lane.offer(job, clock.monotonicMs(), placesIn(job.delivery, lane))) return 'full';
    lanes.set(key, lane);
    held.set(deliveryKey(job.delivery), job);
    take(job, 1);
    placeInLine(lane);
    pump();
    return 'queued';
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
      lane.began();
      placeInLine(lane);
      const pace = deps.paceOf(lane.endpoint);
      if (pace === undefined) sendNext(lane);
      else void sendPaced(lane, pace);
    }
  }

  /** The place is kept while the permit is asked for, so that one that was granted is used at once. */
  async function sendPaced(lane: Lane, pace: Pace): Promise<void> {
    const waitMs = await deps.takePermit(lane.endpoint, pace).catch((error: unknown) => {
      deps.onFailure(toAppError(error));
      return sweepEveryMs;
    });
    // The answer may have taken its time, or this process: who owns the lane is looked at again.
    if (waitMs > 0 || mayNotBeOurs(lane)) {
      pause(lane, clock.monotonicMs() + waitMs);
      lane.gaveUp();
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
    const tell = health.begin(job.delivery);
    let observed = false;
    const observe = (verdict: SendVerdict): void => {
      observed = true;
      if (verdict.kind === 'well') lane.answered(clock.monotonicMs());
      tell(verdict);
      reconsider(lane);
    };
    const end = await deps.run(job, observe).catch((error: unknown): JobEnd => {
      deps.onFailure(toAppError(error));
      return 'waits';
    });
    if (!observed) tell(undefined);
    release(job);
    ended(lane, job, end);
    pump();
  }

  /** Its endpoint's standing has changed: with an open breaker nothing waits here. */
  function reconsider(lane: Lane): void {
    const { kind } = health.standingOf(lane.endpoint);
    if (kind === 'open' || kind === 'probe') removeQueued(lane, Number.POSITIVE_INFINITY);
    placeInLine(lane);
    pump();
  }

  function ended(lane: Lane, job: Job | undefined, how: JobEnd): void {
    letGo(lane.ended(job, how));
    placeInLine(lane);
    dropIfEmpty(lane);
  }

  function dropIfEmpty(lane: Lane): void {
    const key = laneKey(lane.endpoint);
    // A job that was parked may outlive its lane, and find another in its place.
    if (!isQueued(lane) && lane.inFlight() === 0 && lanes.get(key) === lane) lanes.delete(key);
  }

  function release(job: Job): void {
    held.delete(deliveryKey(job.delivery));
    take(job, -1);
    if (stopping.signal.aborted && held.size === 0) drained.resolve();
  }

  /** Looks through the queue for what must not wait on. */
  function removeQueued(lane: Lane, queuedBeforeMs: number): void {
    const { abandoned, late } = lane.remove(queuedBeforeMs);
    for (const job of abandoned) release(job);
    letGo(late);
    placeInLine(lane);
    dropIfEmpty(lane);
  }

  /** A row stands in its table, and is found there again. */
  function letGo(jobs: readonly Job[]): void {
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

  async function keepSweeping(): Promise<void> {
    while (!stopping.signal.aborted) {
      await clock.sleep(sweepEveryMs, stopping.signal);
      if (stopping.signal.aborted) return;
      for (const lane of [...lanes.values()]) removeQueued(lane, clock.monotonicMs() - startWithinMs);
    }
  }

  /** What is queued is parked, so that the successor starts behind it and repeats nothing; what is in flight is waited for. */
  async function stop(): Promise<void> {
    stopping.abort();
    await sweeping;
    for (const lane of [...lanes.values()]) removeQueued(lane, Number.POSITIVE_INFINITY);
    if (held.size === 0) return;
    const inTime = new AbortController();
    await Promise.race([drained.promise, clock.sleep(deps.drainMs, inTime.signal)]);
    inTime.abort();
    deps.giveUp();
  }

  function rowRoom(): RowRoom {
    const { jobs } = inHand.row;
    const perLane = limits.lane.rows;
    const endpoints = new Map<string, EndpointRef>();
    for (const endpoint of health.remembered()) endpoints.set(laneKey(endpoint), endpoint);
    for (const [key, { endpoint }] of lanes) endpoints.set(key, endpoint);
    const rooms = [...endpoints].map(([key, { tenant, endpointId }]): LaneRoom => {
      const lane = lanes.get(key);
      const room = placesIn({ tenant, endpointId }, lane).rows - (lane?.queued().rows ?? 0);
      return {
        tenant,
        endpointId,
        room: Math.max(0, room),
        early: isTrying(health.standingOf({ tenant, endpointId })),
      };
    });
    return {
      perLane,
      perTenant: jobs.roomFor(newcomer),
      lanes: rooms.filter(({ room }) => room < perLane),
      tenants: [...jobs.usage()].map(([tenant]) => ({
        tenant,
        room: jobs.roomFor(tenant),
        perLane: rowsOfUnknown(limits.lane, { rows: isCrowded(tenant, 'row') }),
      })),
      total: jobs.free(),
    };
  }

  const roomOf: Record<DispatcherShare, SharedRoom> = {
    places_in_flight: places,
    queued_deliveries: inHand.record.jobs,
    queued_bytes: inHand.record.bytes,
    queued_rows: inHand.row.jobs,
  };

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
    rowRoom,
    usage: (share) => roomOf[share].usage(),
  };
}

/** Without an order, a delivery follows no other. */
const orderKey = ({ delivery, order }: Job): string =>
  `${laneKey(delivery)}/${order === undefined ? delivery.id : order.key}`;

function isQueued(lane: Lane): boolean {
  const { records, rows } = lane.queued();
  return records + rows > 0;
}

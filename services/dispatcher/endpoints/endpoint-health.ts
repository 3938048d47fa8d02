/**
 * Health of the endpoints that this process sends to, and its effect on their lanes. It is forgotten when the endpoint recovers, when a
 * user changes it, after an hour without a send, and if too many are remembered (first those of the tenant with the most). The endpoint
 * then counts as healthy, as it does for the next owner of its partition.
 *
 * | standing     | when                                    | its lane                                                            |
 * |--------------|-----------------------------------------|---------------------------------------------------------------------|
 * | healthy      | nothing is remembered                   | sends and queues as much as it may                                  |
 * | slow         | its sends take long (hold-time.ts)      | queues what it can send in time                                     |
 * | shrunk       | it could not be reached (lane-width.ts) | sends less at once, queues less                                     |
 * | half-open    | a probe went well (breaker.ts)          | one at a time                                                       |
 * | open, probe  | the breaker is open, a probe is due,    | one waiting row; a fresh delivery if there is none                  |
 * |              | or somebody has asked for one           |                                                                     |
 * | open         | the breaker is open                     | nothing                                                             |
 * | paused       | a user has paused it, whatever else     | nothing                                                             |
 *
 * All but the first two are sick. Slow lanes of a tenant share a limit, sick ones a smaller one (turns.ts); nothing else happens to a slow
 * endpoint, whose breaker stays closed. A lane that was asked to wait pauses, but is not sick.
 */
import type { Delivery } from '#lib/contract';
import type { Clock, Logger, Random } from '#lib/runtime';
import type { DispatcherMetrics } from '../metrics.ts';
import { type EndpointRef, laneKey } from '../model/job.ts';
import { type Breaker, type BreakerSend, createBreaker } from './breaker.ts';
import type { EndpointFacts } from './endpoint-facts.ts';
import { createHoldTime, type HoldTime, isLongHold } from './hold-time.ts';
import { createLaneWidth, type LaneWidth } from './lane-width.ts';
import type { SendVerdict } from './send-verdict.ts';

export type Standing = {
  /** Sends at once. */
  readonly width: number;
  /** No send before this time, in monotonic milliseconds. */
  readonly pausedUntilMs: number;
} & (
  | { readonly kind: 'healthy' | 'shrunk' | 'half-open' | 'open' | 'paused' }
  /** Only a delivery that has waited, at first. */
  | { readonly kind: 'probe'; readonly freshToo: boolean }
  /** How long a send takes. */
  | { readonly kind: 'slow'; readonly meanMs: number }
);

/** The endpoint is being probed. */
export const isTrying = ({ kind }: Standing): boolean => kind === 'probe' || kind === 'half-open';

export interface EndpointHealth {
  standingOf(endpoint: EndpointRef): Standing;
  /** A send begins. Call the result once with its verdict; undefined if nothing was sent. */
  begin(delivery: Delivery): (verdict: SendVerdict | undefined) => void;
  /** The endpoints with remembered health. */
  remembered(): Iterable<EndpointRef>;
}

interface Deps {
  factsOf(endpoint: EndpointRef): EndpointFacts;
  metrics: Pick<DispatcherMetrics, 'breakers'>;
  /** An endpoint with an open breaker has recovered. */
  onClosed(endpoint: EndpointRef): void;
  /** How an endpoint that is remembered stands after a send, or that it is forgotten: `healthy`. */
  onStanding?(endpoint: EndpointRef, kind: Standing['kind']): void;
  clock: Clock;
  random: Random;
  log: Logger;
}

interface Entry {
  readonly endpoint: EndpointRef;
  readonly revision: number;
  readonly breaker: Breaker;
  readonly laneWidth: LaneWidth;
  readonly holdTime: HoldTime;
  pausedUntilMs: number;
  lastSendAtMs: number;
  kind: Standing['kind'];
  /** The last one asked for that is no news: sent, or from before there was anything to remember. */
  probeAskedAt: number | null;
}

interface Ended {
  verdict: SendVerdict | undefined;
  heldMs: number;
}

const paused: Standing = { kind: 'paused', width: 0, pausedUntilMs: Number.NEGATIVE_INFINITY };
const maxRemembered = 10_000;
/** An endpoint that was not sent to for so long has no deliveries, or another owner. */
const keptMs = 3_600_000;
/** Two readings of the table: if by then no delivery that waits is found for the probe, a fresh one will do. */
const freshProbeAfterMs = 2_500;

export function createEndpointHealth(deps: Deps): EndpointHealth {
  const { clock, log, metrics } = deps;
  /** By tenant and lane, in the order in which they became worth remembering. */
  const tenants = new Map<string, Map<string, Entry>>();
  let size = 0;
  const counts = { slow: 0, shrunk: 0, open: 0, 'half-open': 0 };

  const found = (endpoint: EndpointRef): Entry | undefined => tenants.get(endpoint.tenant)?.get(laneKey(endpoint));

  function entryOf(endpoint: EndpointRef, { revision, isClosed }: EndpointFacts): Entry | undefined {
    const entry = found(endpoint);
    if (entry === undefined || (entry.revision === revision && !isClosed)) return entry;
    forget(entry);
    return undefined;
  }

  function newEntry({ tenant, endpointId }: EndpointRef, { revision, probeAskedAt = null }: EndpointFacts): Entry {
    return {
      endpoint: { tenant, endpointId },
      revision,
      breaker: createBreaker(deps),
      laneWidth: createLaneWidth(),
      holdTime: createHoldTime(),
      pausedUntilMs: Number.NEGATIVE_INFINITY,
      lastSendAtMs: clock.monotonicMs(),
      kind: 'healthy',
      probeAskedAt,
    };
  }

  function remember(entry: Entry): void {
    if (size >= maxRemembered) forgetOne();
    const { tenant } = entry.endpoint;
    const entries = tenants.get(tenant) ?? new Map<string, Entry>();
    tenants.set(tenant, entries.set(laneKey(entry.endpoint), entry));
    size += 1;
  }

  /** Forgets the oldest endpoint of the tenant with the most, so that no tenant displaces another's. */
  function forgetOne(): void {
    let most: Map<string, Entry> | undefined;
    for (const entries of tenants.values()) if (entries.size > (most?.size ?? 0)) most = entries;
    const [oldest] = most?.values() ?? [];
    if (oldest !== undefined) forget(oldest);
  }

  function forget(entry: Entry): void {
    const { tenant } = entry.endpoint;
    const entries = tenants.get(tenant);
    if (entries?.delete(laneKey(entry.endpoint))) size -= 1;
    if (entries?.size === 0) tenants.delete(tenant);
    count(entry, 'healthy');
  }

  function count(entry: Entry, kind: Standing['kind']): void {
    deps.onStanding?.(entry.endpoint, kind);
    const [before, after] = [countedAs(entry.kind), countedAs(kind)];
    entry.kind = kind;
    if (before === after) return;
    if (before !== undefined) counts[before] -= 1;
    if (after !== undefined) counts[after] += 1;
    metrics.breakers(counts);
  }

  function decide(
    { breaker, laneWidth, holdTime, pausedUntilMs, probeAskedAt: known }: Entry,
    { maxInFlight, probeAskedAt = null }: Pick<EndpointFacts, 'maxInFlight' | 'probeAskedAt'>,
  ): Standing {
    switch (breaker.state()) {
      case 'half-open':
        return { kind: 'half-open', width: 1, pausedUntilMs };
      case 'probing':
        return { kind: 'open', width: 1, pausedUntilMs };
      case 'open': {
        const dueForMs = breaker.probeDueForMs();
        if (probeAskedAt !== known)
          return { kind: 'probe', freshToo: true, width: 1, pausedUntilMs: Number.NEGATIVE_INFINITY };
        if (dueForMs === undefined) return { kind: 'open', width: 1, pausedUntilMs };
        return { kind: 'probe', freshToo: dueForMs >= freshProbeAfterMs, width: 1, pausedUntilMs };
      }
      case 'closed': {
        const width = laneWidth.shrunkTo();
        if (width === undefined && holdTime.isSlow())
          return { kind: 'slow', meanMs: holdTime.meanMs(), width: maxInFlight, pausedUntilMs };
        if (width === undefined) return { kind: 'healthy', width: maxInFlight, pausedUntilMs };
        return { kind: 'shrunk', width: Math.min(width, maxInFlight), pausedUntilMs };
      }
    }
  }

  /** Remembers or forgets the entry, after a change. */
  function settle(entry: Entry, facts: EndpointFacts): void {
    const { breaker, laneWidth, holdTime, pausedUntilMs } = entry;
    const nowMs = clock.monotonicMs();
    entry.lastSendAtMs = nowMs;
    const isPristine =
      breaker.isPristine() && laneWidth.shrunkTo() === undefined && holdTime.isBrief() && pausedUntilMs <= nowMs;
    if (isPristine) return forget(entry);
    if (found(entry.endpoint) === undefined) remember(entry);
    count(entry, decide(entry, facts).kind);
  }

  function observe(entry: Entry, send: BreakerSend, { verdict, heldMs }: Ended, facts: EndpointFacts): void {
    const { maxInFlight } = facts;
    const { breaker, laneWidth, holdTime } = entry;
    const before = breaker.state();
    send.ended(verdict);
    const after = breaker.state();
    if (verdict !== undefined) laneWidth.observe(verdict, maxInFlight);
    if (verdict !== undefined) holdTime.observe(heldMs);
    // After any kind of failure, a recovered endpoint is sent to slowly at first.
    if (before === 'closed' && after === 'open') laneWidth.shrink();
    if (verdict?.kind === 'wait') {
      entry.pausedUntilMs = Math.max(entry.pausedUntilMs, clock.monotonicMs() + verdict.waitMs);
    }
    settle(entry, facts);
    if (before !== 'closed' && after === 'closed') deps.onClosed(entry.endpoint);
    const isNews = after !== before && !(before === 'probing' && after === 'open');
    if (isNews) log.info({ event: 'breaker.changed', ...entry.endpoint, from: before, to: after });
  }

  return {
    standingOf(endpoint) {
      const facts = deps.factsOf(endpoint);
      const entry = entryOf(endpoint, facts);
      if (facts.isPaused === true && !facts.isClosed) return paused;
      if (entry !== undefined) return decide(entry, facts);
      return { kind: 'healthy', width: facts.maxInFlight, pausedUntilMs: Number.NEGATIVE_INFINITY };
    },
    begin(delivery) {
      const facts = deps.factsOf(delivery);
      const begunWith = entryOf(delivery, facts);
      if (begunWith !== undefined) begunWith.probeAskedAt = facts.probeAskedAt ?? null;
      const send = begunWith?.breaker.begin(delivery.id);
      const begunAtMs = clock.monotonicMs();
      return (verdict) => {
        const heldMs = clock.monotonicMs() - begunAtMs;
        const factsNow = deps.factsOf(delivery);
        if (factsNow.revision !== facts.revision) return;
        const entry = entryOf(delivery, factsNow);
        if (begunWith !== undefined && send !== undefined && entry === begunWith)
          return observe(begunWith, send, { verdict, heldMs }, factsNow);
        if (verdict === undefined) return;
        if (entry === undefined && verdict.kind === 'well' && !isLongHold(heldMs)) return;
        // Begun while there was nothing to remember: before the breaker opened, if it has.
        if (entry !== undefined && entry.breaker.state() !== 'closed') return;
        const decided = entry ?? newEntry(delivery, factsNow);
        observe(decided, decided.breaker.begin(delivery.id), { verdict, heldMs }, factsNow);
      };
    },
    *remembered() {
      const keptFromMs = clock.monotonicMs() - keptMs;
      for (const entry of [...tenants.values()].flatMap((entries) => [...entries.values()])) {
        if (entry.lastSendAtMs < keptFromMs || entryOf(entry.endpoint, deps.factsOf(entry.endpoint)) === undefined) {
          forget(entry);
        } else yield entry.endpoint;
      }
    },
  };
}

function countedAs(kind: Standing['kind']): 'slow' | 'shrunk' | 'open' | 'half-open' | undefined {
  if (kind === 'healthy' || kind === 'paused') return undefined;
  return kind === 'probe' ? 'open' : kind;
}

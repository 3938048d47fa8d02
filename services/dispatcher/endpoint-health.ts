/**
 * What this process has found out about the endpoints that it sends to, and what follows for their lanes. It is forgotten as soon as an
 * endpoint is well again, when a person has changed it, after an hour without a send, and where too many are remembered: the endpoint then
 * counts as healthy. So it does for the next owner of its partition, who finds out by itself.
 *
 * | standing     | when                                    | its lane                                                            |
 * |--------------|-----------------------------------------|---------------------------------------------------------------------|
 * | healthy      | nothing is remembered                   | sends and queues as much as it may                                  |
 * | shrunk       | it could not be reached (lane-width.ts) | sends less at once, queues less                                     |
 * | half-open    | a probe went well (breaker.ts)          | one at a time                                                       |
 * | open, probe  | the breaker is open, and it is time     | one that waits in the table; a fresh one if none is found           |
 * | open         | the breaker is open                     | nothing                                                             |
 *
 * All but the first are sick, and share what sick lanes may hold together. A lane that was asked to wait pauses, and is not sick for that.
 */
import type { Random } from '#lib/backoff';
import type { Clock } from '#lib/clock';
import type { Delivery } from '#lib/contract';
import type { Logger } from '#lib/log';
import { type Breaker, type BreakerSend, createBreaker } from './breaker.ts';
import { laneKey } from './job.ts';
import { createLaneWidth, type LaneWidth } from './lane-width.ts';
import type { DispatcherMetrics } from './metrics.ts';
import type { SendVerdict } from './send-verdict.ts';

export type EndpointRef = Pick<Delivery, 'tenant' | 'endpointId'>;

export type Standing = {
  /** Sends at once. */
  readonly width: number;
  /** Nothing before, in monotonic milliseconds. */
  readonly pausedUntilMs: number;
} & (
  | { readonly kind: 'healthy' | 'shrunk' | 'half-open' | 'open' }
  /** Only a delivery that has waited, at first. */
  | { readonly kind: 'probe'; readonly freshToo: boolean }
);

/** It is being found out whether it is back. */
export const isTrying = ({ kind }: Standing): boolean => kind === 'probe' || kind === 'half-open';

export const isSick = ({ kind }: Standing): boolean => kind !== 'healthy';

export interface EndpointHealth {
  standingOf(endpoint: EndpointRef): Standing;
  /** A send begins; told once what came of it, undefined where it came to none. */
  begin(delivery: Delivery): (verdict: SendVerdict | undefined) => void;
  /** The endpoints of which something is remembered. */
  remembered(): Iterable<EndpointRef>;
}

/** What is to be known of the endpoint itself. */
export interface EndpointFacts {
  maxInFlight: number;
  revision: number;
  /** Deleted or disabled: nothing is sent, and what is left is ended without delay. */
  isClosed: boolean;
}

interface Deps {
  factsOf(endpoint: EndpointRef): EndpointFacts;
  metrics: Pick<DispatcherMetrics, 'breakers'>;
  /** An endpoint whose breaker was open has come back. */
  onClosed(endpoint: EndpointRef): void;
  clock: Clock;
  random: Random;
  log: Logger;
}

interface Entry {
  readonly endpoint: EndpointRef;
  readonly revision: number;
  readonly breaker: Breaker;
  readonly laneWidth: LaneWidth;
  pausedUntilMs: number;
  lastSendAtMs: number;
  kind: Standing['kind'];
}

const maxRemembered = 10_000;
/** What was not sent to for so long has no deliveries, or another owner. */
const keptMs = 3_600_000;
/** Two readings of the table: if by then no delivery that waits is found for the probe, a fresh one will do. */
const freshProbeAfterMs = 2_500;

export function createEndpointHealth(deps: Deps): EndpointHealth {
  const { clock, log, metrics } = deps;
  /** In the order in which they became worth remembering. */
  const entries = new Map<string, Entry>();
  const counts = { shrunk: 0, open: 0, 'half-open': 0 };

  function entryOf(endpoint: EndpointRef, { revision, isClosed }: EndpointFacts): Entry | undefined {
    const entry = entries.get(laneKey(endpoint));
    if (entry === undefined || (entry.revision === revision && !isClosed)) return entry;
    forget(entry);
    return undefined;
  }

  function newEntry({ tenant, endpointId }: EndpointRef, { revision }: EndpointFacts): Entry {
    return {
      endpoint: { tenant, endpointId },
      revision,
      breaker: createBreaker(deps),
      laneWidth: createLaneWidth(),
      pausedUntilMs: Number.NEGATIVE_INFINITY,
      lastSendAtMs: clock.monotonicMs(),
      kind: 'healthy',
    };
  }

  function remember(entry: Entry): void {
    const [oldest] = entries.values();
    if (oldest !== undefined && entries.size >= maxRemembered) forget(oldest);
    entries.set(laneKey(entry.endpoint), entry);
  }

  function forget(entry: Entry): void {
    entries.delete(laneKey(entry.endpoint));
    count(entry, 'healthy');
  }

  function count(entry: Entry, kind: Standing['kind']): void {
    const [before, after] = [countedAs(entry.kind), countedAs(kind)];
    entry.kind = kind;
    if (before === after) return;
    if (before !== undefined) counts[before] -= 1;
    if (after !== undefined) counts[after] += 1;
    metrics.breakers(counts);
  }

  function judge({ breaker, laneWidth, pausedUntilMs }: Entry, maxInFlight: number): Standing {
    switch (breaker.state()) {
      case 'half-open':
        return { kind: 'half-open', width: 1, pausedUntilMs };
      case 'probing':
        return { kind: 'open', width: 1, pausedUntilMs };
      case 'open': {
        const dueForMs = breaker.probeDueForMs();
        if (dueForMs === undefined) return { kind: 'open', width: 1, pausedUntilMs };
        return { kind: 'probe', freshToo: dueForMs >= freshProbeAfterMs, width: 1, pausedUntilMs };
      }
      case 'closed': {
        const width = laneWidth.shrunkTo();
        if (width === undefined) return { kind: 'healthy', width: maxInFlight, pausedUntilMs };
        return { kind: 'shrunk', width: Math.min(width, maxInFlight), pausedUntilMs };
      }
    }
  }

  /** Whether there is anything to remember may have changed. */
  function settle(entry: Entry, maxInFlight: number): void {
    const { breaker, laneWidth, pausedUntilMs } = entry;
    const nowMs = clock.monotonicMs();
    entry.lastSendAtMs = nowMs;
    const isPristine = breaker.isPristine() && laneWidth.shrunkTo() === undefined && pausedUntilMs <= nowMs;
    if (isPristine) return forget(entry);
    if (!entries.has(laneKey(entry.endpoint))) remember(entry);
    count(entry, judge(entry, maxInFlight).kind);
  }

  function observe(entry: Entry, send: BreakerSend, verdict: SendVerdict | undefined, maxInFlight: number): void {
    const { breaker, laneWidth } = entry;
    const before = breaker.state();
    send.ended(verdict);
    const after = breaker.state();
    if (verdict !== undefined) laneWidth.observe(verdict, maxInFlight);
    // However it failed: what comes back is sent to slowly at first.
    if (before === 'closed' && after === 'open') laneWidth.shrink();
    if (verdict?.kind === 'wait') {
      entry.pausedUntilMs = Math.max(entry.pausedUntilMs, clock.monotonicMs() + verdict.waitMs);
    }
    settle(entry, maxInFlight);
    if (before !== 'closed' && after === 'closed') deps.onClosed(entry.endpoint);
    const isNews = after !== before && !(before === 'probing' && after === 'open');
    if (isNews) log.info({ event: 'breaker.changed', ...entry.endpoint, from: before, to: after });
  }

  return {
    standingOf(endpoint) {
      const facts = deps.factsOf(endpoint);
      const entry = entryOf(endpoint, facts);
      if (entry !== undefined) return judge(entry, facts.maxInFlight);
      return { kind: 'healthy', width: facts.maxInFlight, pausedUntilMs: Number.NEGATIVE_INFINITY };
    },
    begin(delivery) {
      const facts = deps.factsOf(delivery);
      const begunWith = entryOf(delivery, facts);
      const send = begunWith?.breaker.begin(delivery.id);
      return (verdict) => {
        const factsNow = deps.factsOf(delivery);
        if (factsNow.revision !== facts.revision) return;
        const entry = entryOf(delivery, factsNow);
        if (begunWith !== undefined && send !== undefined && entry === begunWith)
          return observe(begunWith, send, verdict, factsNow.maxInFlight);
        if (verdict === undefined || (entry === undefined && verdict.kind === 'well')) return;
        // Begun while there was nothing to remember: before the breaker opened, if it has.
        if (entry !== undefined && entry.breaker.state() !== 'closed') return;
        const judged = entry ?? newEntry(delivery, factsNow);
        observe(judged, judged.breaker.begin(delivery.id), verdict, factsNow.maxInFlight);
      };
    },
    *remembered() {
      const keptFromMs = clock.monotonicMs() - keptMs;
      for (const entry of entries.values()) {
        if (entry.lastSendAtMs < keptFromMs || entryOf(entry.endpoint, deps.factsOf(entry.endpoint)) === undefined) {
          forget(entry);
        } else yield entry.endpoint;
      }
    },
  };
}

function countedAs(kind: Standing['kind']): 'shrunk' | 'open' | 'half-open' | undefined {
  if (kind === 'healthy') return undefined;
  return kind === 'probe' ? 'open' : kind;
}

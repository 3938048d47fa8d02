import type { Clock, Logger } from '#lib/runtime';
import { rootCause } from '../client.ts';
import type { ClusterMetadata, TopicMetadata } from '../codec/metadata-request.ts';
import type { ProducerMeter } from '../metrics.ts';
import { within } from '../time-limit.ts';
import type { BrokerConnection } from './broker-connection.ts';

/** The leader of a partition that has none. */
export const nobody = -1;

/** The leader of each partition of a topic: a broker's id, or `nobody`. */
export type TopicLayout = readonly number[];

/** The layouts of the requested topics, kept fresh in the background. */
export interface TopicLayouts {
  /** The layout known now; a topic is refreshed from its first mention on. */
  get(topic: string): TopicLayout | undefined;
  /** `host:port` of a broker; undefined if unknown. */
  addressOf(broker: number): string | undefined;
  /** Something went wrong that a change of leaders would explain. */
  refreshSoon(): void;
  /** Resolves after the first round of requests, even if they failed. */
  start(): Promise<void>;
  /** Resolves after a round that begins from now on, which it asks for. */
  refreshed(): Promise<void>;
  stop(): Promise<void>;
}

export interface TopicLayoutsOptions {
  /** `host:port` of the bootstrap brokers. */
  brokers: readonly string[];
  connectTo(address: string): Promise<BrokerConnection>;
  clock: Clock;
  log: Logger;
  onChange(topic: string, layout: TopicLayout): void;
  refreshMs: number;
  meter: Pick<ProducerMeter, 'described' | 'unreached'>;
}

// The minimum time between two requested refreshes: many partitions fail at the same moment.
const minGapMs = 100;
const firstRetryMs = 100;
const maxRetryMs = 5_000;
const closeTimeoutMs = 2_000;

export function createTopicLayouts({
  brokers,
  connectTo,
  clock,
  log,
  onChange,
  refreshMs,
  meter,
}: TopicLayoutsOptions): TopicLayouts {
  const layouts = new Map<string, TopicLayout | undefined>();
  const stopped = new AbortController();
  let pause = new AbortController();
  let refreshAsked = false;
  let failing = false;
  let addresses: ReadonlyMap<number, string> = new Map();
  let connection: BrokerConnection | undefined;
  let connections = 0;
  let loop: Promise<void> | undefined;
  let awaited: (() => void)[] = [];

  /** @returns whether every topic's layout is known and fresh */
  async function refreshAll(): Promise<boolean> {
    const asked = [...layouts.keys()];
    if (asked.length === 0) return true;
    try {
      const found = await ask(asked);
      if (stopped.signal.aborted) return true;
      addresses = found.addresses;
      const unknown = asked.filter((topic) => !take(found.topics.find(({ name }) => name === topic)));
      if (unknown.length > 0) logUnknown(unknown, 'no partitions are known');
      failing = unknown.length > 0;
    } catch (error) {
      logUnknown(asked, rootCause(error).message);
      failing = true;
      meter.unreached();
      void closeConnection();
    }
    return !failing;
  }

  async function ask(asked: readonly string[]): Promise<ClusterMetadata> {
    if (connection?.isOpen() !== true) {
      await closeConnection();
      connection = await connectTo(nextAddress());
    }
    return connection.metadata(asked);
  }

  /** The next address each time, so that a hanging broker is not asked twice in a row. */
  function nextAddress(): string {
    const known = [...new Set([...brokers, ...addresses.values()])];
    const address = known[connections % known.length] ?? '';
    connections += 1;
    return address;
  }

  /** @returns whether its partitions are known */
  function take(topic: TopicMetadata | undefined): boolean {
    if (topic === undefined || topic.partitions.length === 0) return false;
    const { name, partitions } = topic;
    const layout = new Array<number>(partitions.length).fill(nobody);
    for (const { id, leader } of partitions) layout[id] = leader;
    meter.described(name, {
      underReplicated: partitions.filter(({ inSync, replicas }) => inSync < replicas).length,
      leaderless: layout.filter((leader) => leader === nobody).length,
    });
    const before = layouts.get(name);
    layouts.set(name, layout);
    if (before?.join() !== layout.join()) onChange(name, layout);
    return true;
  }

  /** Logs once per outage: while brokers are away it is tried all the time. */
  function logUnknown(unknown: readonly string[], reason: string): void {
    log[failing ? 'debug' : 'warn']({ event: 'kafka.metadata_failed', topics: unknown.join(), reason });
  }

  function closeConnection(): Promise<void> {
    const closing = connection?.close().catch(() => undefined) ?? Promise.resolve();
    connection = undefined;
    return closing;
  }

  /** No plain rounds: whoever asks for a refresh cuts the pause short. */
  async function run(): Promise<void> {
    let retryMs = firstRetryMs;
    while (!stopped.signal.aborted) {
      refreshAsked = false;
      const waiting = awaited;
      awaited = [];
      const fresh = await refreshAll();
      for (const resolve of waiting) resolve();
      await clock.sleep(minGapMs, stopped.signal);
      if (refreshAsked) continue;
      pause = new AbortController();
      await clock.sleep(fresh ? refreshMs : retryMs, AbortSignal.any([pause.signal, stopped.signal]));
      retryMs = fresh ? firstRetryMs : Math.min(maxRetryMs, retryMs * 2);
    }
    await closeConnection();
  }

  const nextRound = (): Promise<void> => new Promise((resolve) => awaited.push(resolve));

  function refreshSoon(): void {
    refreshAsked = true;
    pause.abort();
  }

  return {
    get(topic) {
      const layout = layouts.get(topic);
      if (layout === undefined && !layouts.has(topic)) {
        layouts.set(topic, undefined);
        refreshSoon();
      }
      return layout;
    },
    addressOf: (broker) => addresses.get(broker),
    refreshSoon,
    start() {
      const first = nextRound();
      loop = run();
      return first;
    },
    refreshed() {
      refreshSoon();
      return nextRound();
    },
    async stop() {
      stopped.abort();
      if (loop !== undefined) await within(clock, closeTimeoutMs, loop, () => undefined);
    },
  };
}

import type { Admin, Kafka } from 'kafkajs';
import type { Clock } from '#lib/clock';
import type { Logger } from '#lib/log';
import { rootCause } from './client.ts';
import type { ProducerMeter } from './metrics.ts';
import { within } from './time-limit.ts';

/** How many partitions a topic has, and who leads them: the broker's id by partition, -1 where nobody does. */
export type TopicLayout = readonly number[];

/** The layouts of the topics that are asked for, kept fresh in the background. */
export interface TopicLayouts {
  /** What is known now; a topic is asked about from its first mention on. */
  get(topic: string): TopicLayout | undefined;
  /** Something went wrong that a change of leaders would explain. */
  refreshSoon(): void;
  /** Resolves once the first round of questions is over, whatever came of it. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface TopicLayoutsOptions {
  createClient(): Kafka;
  clock: Clock;
  log: Logger;
  onChange(topic: string, layout: TopicLayout): void;
  refreshMs: number;
  meter: Pick<ProducerMeter, 'described' | 'unreached'>;
}

// A refresh that was asked for comes no sooner after the last one: many partitions fail at the same moment.
const minGapMs = 100;
const firstRetryMs = 100;
const maxRetryMs = 5_000;
const closeTimeoutMs = 2_000;

export function createTopicLayouts({
  createClient,
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
  let admin: Admin | undefined;
  let loop: Promise<void> | undefined;

  async function ask(topic: string): Promise<TopicLayout> {
    if (admin === undefined) {
      const opened = createClient().admin();
      admin = opened;
      await opened.connect();
    }
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    const partitions = topics.find((found) => found.name === topic)?.partitions ?? [];
    if (partitions.length === 0) throw new Error(`no partitions are known of ${topic}`);
    const layout: number[] = new Array<number>(partitions.length).fill(-1);
    for (const { partitionId, leader } of partitions) layout[partitionId] = leader;
    meter.described(topic, {
      underReplicated: partitions.filter(({ isr, replicas }) => isr.length < replicas.length).length,
      leaderless: layout.filter((leader) => leader < 0).length,
    });
    return layout;
  }

  /** @returns whether every topic's layout is known and fresh */
  async function refreshAll(): Promise<boolean> {
    let fresh = true;
    for (const topic of layouts.keys()) {
      try {
        const layout = await ask(topic);
        if (stopped.signal.aborted) return fresh;
        const before = layouts.get(topic);
        layouts.set(topic, layout);
        if (before?.join() !== layout.join()) onChange(topic, layout);
      } catch (error) {
        fresh = false;
        const cause = rootCause(error);
        // Once, until it has been well: while brokers are away it is tried all the time.
        log[failing ? 'debug' : 'warn']({ event: 'kafka.metadata_failed', topic, reason: cause.message });
        // A broker that says what is wrong with a topic is a broker that answers.
        if (!('type' in cause)) {
          meter.unreached();
          void closeAdmin();
        }
      }
    }
    failing = !fresh;
    return fresh;
  }

  function closeAdmin(): Promise<void> {
    const closing = admin?.disconnect().catch(() => undefined) ?? Promise.resolve();
    admin = undefined;
    return closing;
  }

  async function run(firstRound: () => void): Promise<void> {
    let retryMs = firstRetryMs;
    while (!stopped.signal.aborted) {
      refreshAsked = false;
      const fresh = await refreshAll();
      firstRound();
      await clock.sleep(minGapMs, stopped.signal);
      if (refreshAsked) continue;
      pause = new AbortController();
      await clock.sleep(fresh ? refreshMs : retryMs, AbortSignal.any([pause.signal, stopped.signal]));
      retryMs = fresh ? firstRetryMs : Math.min(maxRetryMs, retryMs * 2);
    }
    await closeAdmin();
  }

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
    refreshSoon,
    start: () =>
      new Promise((resolve) => {
        loop = run(resolve);
      }),
    async stop() {
      stopped.abort();
      if (loop !== undefined) await within(clock, closeTimeoutMs, loop, () => undefined);
    },
  };
}

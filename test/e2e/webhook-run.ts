/**
 * One run of webhooks through a running system, from a source of its own to endpoints of its own, witnessed on both sides and judged by the
 * checker. The system may be a pipeline of the test or the local stack.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { endpointSettlingMs, type EndpointSettings, type SourceScheme, type SourceSettings } from '#lib/contract';
import { formatMicros, parseRfc3339, systemClock } from '#lib/runtime';
import type { Verdict } from '../faults/checker/check.ts';
import { checkWhenDrained } from '../faults/checker/check-when-drained.ts';
import type { Fault } from '../faults/checker/history.ts';
import { createApiClient } from '../support/api-client.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { createSender, type Sender, type WebhookToSend } from '../support/sender.ts';
import type { Stack } from '../support/stack.ts';
import { createTopicFollower } from '../support/topic-follower.ts';
import { within } from '../support/wait-until.ts';

export interface WebhookRun {
  readonly source: { id: string; secret: string; ingest_url: string };
  readonly sender: Sender;
  readonly receiver: Receiver;
  /** By their names. */
  readonly endpointIds: ReadonlyMap<string, string>;
  /**
   * Sends all of them, each until it is answered.
   *
   * @param hurry from its end on the rest is sent at a quick pace
   */
  sendAll(webhooks: readonly WebhookToSend[], perSecond: Rate, hurry?: Promise<unknown>): Promise<void>;
  /** When nothing is under way any more. */
  check(timeoutMs: number): Promise<Verdict>;
  /** In a system that others use too, the source and its endpoints are deleted. */
  close(): Promise<void>;
}

/** Webhooks a second: one number, or one for as many as are left to be sent. */
type Rate = number | ((left: number) => number);

/** For what goes on beside them, however long it takes: the last hundred take minutes. `hurry` ends that. */
export const slowerTowardsTheEnd =
  (most: number): Rate =>
  (left) =>
    Math.min(most, left / 30);

interface Options {
  scheme: SourceScheme;
  random: () => number;
  /** True if nothing else uses the system: then everything in it is checked. */
  exclusive: boolean;
  source?: SourceSettings;
  /** Default: `first` and `second`. Each is sent every event. */
  endpointNames?: readonly string[];
  endpoint?: EndpointSettings;
  faults?: readonly Fault[];
}

/** The services' clocks are this machine's; the margin is for the rounding of a millisecond. */
const settlingMarginMs = 50;
/** Longer than any process of a test is down, also where its successors die as they start. */
const answerTimeoutMs = 180_000;
const maxInFlight = 32;
const stopTimeoutMs = 15_000;
const quickPerSecond = 60;

export async function prepareWebhookRun(stack: Stack, options: Options): Promise<WebhookRun> {
  const startedAt = formatMicros(Date.now() * 1000);
  const api = createApiClient({ url: stack.apiUrl, adminKey: stack.adminKey });
  const follower = createTopicFollower(stack);
  const receiver = await startReceiver();
  const source = await api.createSource({ name: 'end to end', scheme: options.scheme, ...options.source });
  const endpoints = await Promise.all(
    (options.endpointNames ?? ['first', 'second']).map(async (name) => {
      const endpoint = await api.createEndpoint({
        url: receiver.url(name),
        source_ids: [source.id],
        ...options.endpoint,
      });
      receiver.register(name, endpoint);
      return { ...endpoint, name };
    }),
  );
  const sender = createSender({ ingestUrl: source.ingest_url, sourceId: source.id, random: options.random });
  await follower.start();
  const settledAtMs = Math.max(...endpoints.map(({ created_at }) => (parseRfc3339(created_at) ?? 0) / 1000));
  await delay(Math.max(0, settledAtMs + endpointSettlingMs + settlingMarginMs - Date.now()));

  return {
    source,
    sender,
    receiver,
    endpointIds: new Map(endpoints.map(({ name, id }) => [name, id])),
    async sendAll(webhooks, perSecond, hurry) {
      let left = webhooks.length;
      const pace = createPace(() => (typeof perSecond === 'number' ? perSecond : perSecond(left)), hurry);
      const unsent = webhooks.values();
      const work = async (): Promise<void> => {
        for (const webhook of unsent) {
          await pace();
          left -= 1;
          await sender.sendUntilAnswered(webhook, answerTimeoutMs);
        }
      };
      await Promise.all(Array.from({ length: maxInFlight }, work));
    },
    check: (timeoutMs) =>
      checkWhenDrained(
        {
          sourceIds: options.exclusive ? 'all' : new Set([source.id]),
          sends: sender.log,
          arrivals: receiver.arrivals,
          observedEndpoints: new Set(endpoints.map(({ id }) => id)),
          faults: options.faults ?? [],
          follower,
          api,
          databaseUrl: stack.databaseUrl,
          startedAt,
        },
        timeoutMs,
      ),
    async close() {
      sender.close();
      await within(
        'the receiver and the follower stop',
        stopTimeoutMs,
        Promise.all([receiver.stop(), follower.stop()]),
      );
      if (options.exclusive) return;
      const paths = [...endpoints.map(({ id }) => `/endpoints/${id}`), `/sources/${source.id}`];
      await Promise.all(paths.map((path) => api.remove(path)));
    },
  };
}

/** Each call resolves when it is the next one's turn. */
function createPace(rate: () => number, hurry: Promise<unknown> | undefined): () => Promise<void> {
  const slow = new AbortController();
  let nextMs = 0;
  const hurryUp = (): void => {
    slow.abort();
    nextMs = 0;
  };
  hurry?.then(hurryUp, hurryUp);
  return async () => {
    const isSlow = !slow.signal.aborted;
    const nowMs = performance.now();
    const dueMs = Math.max(nextMs, nowMs);
    nextMs = dueMs + 1_000 / (isSlow ? rate() : quickPerSecond);
    await systemClock.sleep(dueMs - nowMs, isSlow ? slow.signal : undefined);
  };
}

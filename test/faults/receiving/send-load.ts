/** Senders as providers are: so many at once, each webhook sent again until it is taken. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '../../support/api-client.ts';
import { httpPost } from '../../support/http-post.ts';
import { createSender, type Sender } from '../../support/sender.ts';
import { waitUntil } from '../../support/wait-until.ts';
import type { Send } from '../checker/history.ts';
import { spreadOut } from '../support/spread-out.ts';
import { kindOf, makeWebhook, type PlannedSend, senderKinds } from './webhooks.ts';

export interface Load {
  readonly sourceIds: ReadonlySet<string>;
  /** Sources whose webhooks have ordering keys. */
  readonly orderedSourceIds: readonly string[];
  readonly log: readonly Send[];
  /**
   * Sends all, spread over the time that the faults are expected to take; resolves when each was taken once.
   *
   * @param faultsOver from then on at full speed
   */
  send(planned: readonly PlannedSend[], expectedMs: number, faultsOver: Promise<unknown>): Promise<void>;
  close(): void;
}

interface Options {
  api: ApiClient;
  scenario: string;
  seed: number;
  random: () => number;
  nextNumber: () => number;
  /** URLs of the ingress processes, which share the load; default: the sources' own. */
  ingressUrls?: readonly string[];
}

const atOnce = 48;
const answerTimeoutMs = 10_000;
/** Longer than anything is away. */
const giveUpMs = 300_000;
const retry = { baseMs: 200, capMs: 2_000 };

export async function createLoad(options: Options): Promise<Load> {
  const { api, scenario, seed, random, nextNumber, ingressUrls } = options;
  const log: Send[] = [];
  let isClosed = false;
  const urlsOf = (ingestUrl: string): string[] =>
    ingressUrls?.map((url) => `${url}${new URL(ingestUrl).pathname}`) ?? [ingestUrl];
  const sources = await Promise.all(
    senderKinds.map(({ scheme, settings }) => api.createSource({ name: scenario, scheme, ...settings })),
  );
  await Promise.all(sources.flatMap(({ ingest_url }) => urlsOf(ingest_url).map(untilKnown)));
  const senders = sources.map(({ ingest_url, id }): Sender => {
    const urls = urlsOf(ingest_url);
    const anyUrl = (): string => urls[Math.floor(random() * urls.length)] ?? ingest_url;
    const ingestUrl = urls.length === 1 ? ingest_url : anyUrl;
    return createSender({ ingestUrl, sourceId: id, random, log, nextNumber, timeoutMs: answerTimeoutMs });
  });

  const sendUntilTaken = async (planned: PlannedSend): Promise<void> => {
    const deadlineMs = performance.now() + giveUpMs;
    const kind = kindOf(planned.number);
    const secret = sources[kind]?.secret ?? '';
    for (let tries = 0; ; tries += 1) {
      const sent = await senders[kind]?.send(makeWebhook(planned, { scenario, secret, seed, nowMs: Date.now() }));
      if (sent?.outcome === 'ok') return;
      if (isClosed) throw new Error(`${sent?.identity} was not taken by the time that the run ended`);
      if (performance.now() >= deadlineMs)
        throw new Error(`${sent?.identity} was not taken for ${giveUpMs / 1000} s: ${sent?.status} ${sent?.detail}`);
      const longestMs = Math.min(retry.capMs, retry.baseMs * 2 ** tries);
      await delay(longestMs * (0.5 + random() / 2));
    }
  };

  return {
    sourceIds: new Set(sources.map(({ id }) => id)),
    orderedSourceIds: sources.filter((_, kind) => senderKinds[kind]?.settings.ordering_key).map(({ id }) => id),
    log,
    async send(planned, expectedMs, faultsOver) {
      await spreadOut(planned, { expectedMs, faultsOver, atOnce }, sendUntilTaken);
    },
    close() {
      isClosed = true;
      senders.forEach((sender) => sender.close());
    },
  };
}

/** A source that the ingress has not read yet can't be served while Postgres is away: that would be no fault. */
async function untilKnown(url: string): Promise<void> {
  await waitUntil(
    `the ingress knows ${url}`,
    () =>
      httpPost({ url, headers: {}, body: Buffer.from('{}'), timeoutMs: answerTimeoutMs }).then(
        ({ status }) => status === 401,
        () => false,
      ),
    { timeoutMs: 30_000 },
  );
}

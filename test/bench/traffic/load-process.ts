/**
 * Sends webhooks and publishes events at a steady rate, whatever becomes of them, in a process of its own; started by load.ts, a child with
 * a channel to its parent. It tells once a second what was answered since.
 */
import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { httpPost } from '../../support/http-post.ts';
import { keepAliveAgent } from '../../support/keep-alive-agent.ts';
import { createSender, numbersFrom } from '../../support/sender.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import type { Send } from '../../faults/checker/history.ts';
import { kindOf, makeWebhook, planSends } from '../../faults/receiving/webhooks.ts';

export interface LoadJob {
  /** Stands in the name of each webhook: no other load has it. */
  name: string;
  /** One of each kind of sender, in their order. */
  sources: readonly { id: string; secret: string; ingest_url: string }[];
  apiUrl: string;
  adminKey: string;
  perSecond: number;
  seconds: number;
  seed: number;
}

/** A webhook's request and its answer. */
export interface SentWebhook {
  /** The same for a repeat. */
  webhook: string;
  outcome: Send['outcome'];
  detail: string;
  receiptId: string | null;
  answeredAtMs: number;
  tookMs: number;
}

export interface Published {
  /** Null: it was not taken. */
  eventId: string | null;
  detail: string;
  answeredAtMs: number;
}

/** @property lateMs how late the latest of them was sent */
export type LoadMessage = { sent: SentWebhook[]; published: Published[]; lateMs: number; isOver: boolean };

export const repeatedShare = 0.2;
/** Beside webhooks, of as many. */
export const publishedShare = 0.05;
const tellEveryMs = 1_000;
const answerTimeoutMs = 10_000;

process.once('message', (job: LoadJob) => void send(job).then(() => process.disconnect()));
process.on('disconnect', () => process.exit(0));

async function send({ name, sources, apiUrl, adminKey, perSecond, seconds, seed }: LoadJob): Promise<void> {
  const random = seededRandom(seed);
  const sends: Send[] = [];
  let published: Published[] = [];
  let lateMs = 0;
  const underWay = new Set<Promise<unknown>>();
  const nextNumber = numbersFrom(0);
  const senders = sources.map(({ id, ingest_url }) =>
    createSender({ ingestUrl: ingest_url, sourceId: id, random, log: sends, nextNumber, timeoutMs: answerTimeoutMs }),
  );
  const apiAgent = keepAliveAgent();

  const publish = async (number: number): Promise<void> => {
    const key = `${name}-published-${number}`;
    const body = JSON.stringify({ type: 'soak.published', payload: { key, padding: 'x'.repeat(random() * 1_000) } });
    const answered = await httpPost({
      url: `${apiUrl}/v1/events`,
      headers: {
        authorization: `Bearer ${adminKey}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: Buffer.from(body),
      timeoutMs: answerTimeoutMs,
      agent: apiAgent,
    }).then(
      ({ status, body: answer }) =>
        status === 202
          ? { eventId: (JSON.parse(answer.toString()) as { id: string }).id, detail: '' }
          : { eventId: null, detail: `${status} ${answer.toString('utf8', 0, 200)}` },
      (error: NodeJS.ErrnoException) => ({ eventId: null, detail: error.code ?? error.message }),
    );
    published.push({ ...answered, answeredAtMs: Date.now() });
  };
  const tell = (isOver: boolean): Promise<void> =>
    new Promise((resolve) => {
      const sent = sends.splice(0).map(({ sourceId, identity, outcome, status, detail, receiptId, ...times }) => ({
        webhook: hash('sha1', `${sourceId}/${identity}`, 'base64'),
        ...{ outcome, detail: `${status} ${detail}`, receiptId, answeredAtMs: times.endedAtMs },
        tookMs: times.endedAtMs - times.startedAtMs,
      }));
      process.send?.({ sent, published, lateMs, isOver } satisfies LoadMessage, undefined, {}, () => resolve());
      published = [];
      lateMs = 0;
    });
  const begin = (work: Promise<unknown>): void => {
    const ended = work.finally(() => underWay.delete(ended));
    underWay.add(ended);
  };

  const planned = planSends(Math.floor(perSecond * seconds), repeatedShare, random);
  const startMs = performance.now();
  const telling = setInterval(() => void tell(false), tellEveryMs);
  for (const [index, each] of planned.entries()) {
    const dueMs = startMs + (index * 1_000) / perSecond;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await delay(waitMs);
    lateMs = Math.max(lateMs, performance.now() - dueMs);
    const kind = kindOf(each.number);
    const [source, sender] = [sources[kind], senders[kind]];
    if (source === undefined || sender === undefined) throw new Error('a source for each kind of sender is needed');
    const { secret } = source;
    begin(sender.send(makeWebhook(each, { scenario: name, secret, seed, nowMs: Date.now() })));
    if (Math.floor((index + 1) * publishedShare) > Math.floor(index * publishedShare)) begin(publish(index));
  }
  await Promise.all(underWay);
  clearInterval(telling);
  senders.forEach((sender) => sender.close());
  apiAgent.destroy();
  await tell(true);
}

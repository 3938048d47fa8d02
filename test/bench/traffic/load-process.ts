/**
 * Sends webhooks and publishes events at a steady rate, whatever the outcomes; a child process started by load.ts. Reports the new answers
 * once a second.
 */
import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from '../../support/load/connection.ts';
import { randomHex, seededRandom } from '../../support/seeded-random.ts';
import type { Send } from '../../faults/checker/history.ts';
import { kindOf, makeWebhook, planSends } from '../../faults/receiving/webhooks.ts';
import {
  type LoadJob,
  type LoadMessage,
  type Published,
  publishedShare,
  repeatedShare,
  type SentWebhook,
} from './load-messages.ts';
import { createRawPoster } from './post-raw.ts';

const tellEveryMs = 1_000;

process.once('message', (job: LoadJob) => void send(job).then(() => process.disconnect()));
process.on('disconnect', () => process.exit(0));

async function send({ name, sources, apiUrl, adminKey, perSecond, seconds, seed }: LoadJob): Promise<void> {
  const usageBefore = process.cpuUsage();
  const random = seededRandom(seed);
  let sent: SentWebhook[] = [];
  let published: Published[] = [];
  let lateMs = 0;
  const underWay = new Set<Promise<unknown>>();
  const paths = sources.map(({ ingest_url }) => new URL(ingest_url).pathname);
  const ingress = createRawPoster(sources[0]?.ingest_url ?? '');
  const api = createRawPoster(apiUrl);

  const sendWebhook = async (planned: ReturnType<typeof planSends>[number]): Promise<void> => {
    const kind = kindOf(planned.number);
    const [source, path] = [sources[kind], paths[kind]];
    if (source === undefined || path === undefined) throw new Error('a source for each kind of sender is needed');
    const { identity, body, headers } = makeWebhook(planned, {
      scenario: name,
      secret: source.secret,
      seed,
      nowMs: Date.now(),
    });
    const traceparent = `00-${randomHex(random, 32)}-${randomHex(random, 16)}-01`;
    const startedAtMs = Date.now();
    const answer = await ingress.post(path, { ...headers, traceparent }, body);
    const answeredAtMs = Date.now();
    sent.push({
      webhook: hash('sha1', `${source.id}/${identity}`, 'base64'),
      outcome: outcomeOf(answer),
      detail: detailOf(answer),
      receiptId: isOk(answer) ? idIn(answer) : null,
      answeredAtMs,
      tookMs: answeredAtMs - startedAtMs,
    });
  };
  const publish = async (number: number): Promise<void> => {
    const key = `${name}-published-${number}`;
    const body = JSON.stringify({ type: 'soak.published', payload: { key, padding: 'x'.repeat(random() * 1_000) } });
    const headers = {
      authorization: `Bearer ${adminKey}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    };
    const answer = await api.post('/v1/events', headers, Buffer.from(body));
    const isTaken = answer?.status === 202;
    published.push({
      ...(isTaken ? { eventId: idIn(answer), detail: '' } : { eventId: null, detail: detailOf(answer) }),
      answeredAtMs: Date.now(),
    });
  };
  const tell = (isOver: boolean): Promise<void> =>
    new Promise((resolve) => {
      const { user, system } = process.cpuUsage(usageBefore);
      const spentSeconds = (user + system) / 1e6;
      const message = { sent, published, lateMs, spentSeconds, isOver } satisfies LoadMessage;
      process.send?.(message, undefined, {}, () => resolve());
      sent = [];
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
    begin(sendWebhook(each));
    if (Math.floor((index + 1) * publishedShare) > Math.floor(index * publishedShare)) begin(publish(index));
  }
  await Promise.all(underWay);
  clearInterval(telling);
  ingress.close();
  api.close();
  await tell(true);
}

type Answered = Answer | undefined;

const isOk = (answer: Answered): boolean => answer !== undefined && answer.status >= 200 && answer.status < 300;

function outcomeOf(answer: Answered): Send['outcome'] {
  if (isOk(answer)) return 'ok';
  return answer !== undefined && answer.status >= 400 && answer.status < 500 ? 'fail' : 'info';
}

const detailOf = (answer: Answered): string =>
  isOk(answer) ? '' : answer === undefined ? 'no answer' : `${answer.status} ${answer.body.slice(0, 200)}`;

const idIn = (answer: Answered): string => (JSON.parse(answer?.body ?? '') as { id: string }).id;

import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Send } from '../faults/checker/history.ts';
import { httpPost } from './http-post.ts';
import { keepAliveAgent } from './keep-alive-agent.ts';
import { randomHex } from './seeded-random.ts';

export interface WebhookToSend {
  /** The sender's name for it: the same when it is sent again. */
  identity: string;
  body: Buffer;
  /** Signature and all. */
  headers: Readonly<Record<string, string>>;
}

export interface Sender {
  /** Sends one request; resolves with its outcome. */
  send(webhook: WebhookToSend): Promise<Send>;
  /** Sends again, after a pause, for as long as the answer does not say whether it was taken. @throws Error at the time limit */
  sendUntilAnswered(webhook: WebhookToSend, timeoutMs: number): Promise<Send>;
  /** Every request that has ended. */
  readonly log: readonly Send[];
  close(): void;
}

interface Options {
  /** Or what chooses one of several for each request. */
  ingestUrl: string | (() => string);
  sourceId: string;
  random: () => number;
  /** The log that several senders of one run share, and who numbers their requests. */
  log?: Send[];
  nextNumber?: () => number;
  timeoutMs?: number;
  /** Requests under way at the same time, at the most; others wait. */
  maxSockets?: number;
}

const pauseMs = 500;

/** A sender that writes down every attempt and its answer. Each request has a trace of its own, by which its record is known again. */
export function createSender(options: Options): Sender {
  const { ingestUrl, sourceId, random, log = [], nextNumber = numbersFrom(log.length), timeoutMs = 10_000 } = options;
  const agent = keepAliveAgent(options.maxSockets ?? 64);

  const send: Sender['send'] = async ({ identity, body, headers }) => {
    const number = nextNumber();
    const traceId = randomHex(random, 32);
    const startedAtMs = Date.now();
    const request = { number, sourceId, identity, traceId, bodySha256: hash('sha256', body), startedAtMs };
    const post = httpPost({
      url: typeof ingestUrl === 'string' ? ingestUrl : ingestUrl(),
      headers: { ...headers, traceparent: `00-${traceId}-${randomHex(random, 16)}-01` },
      body,
      timeoutMs,
      agent,
    });
    const ended = await post.then(
      ({ status, body: answer }) => ({ ...readAnswer(status, answer), outcome: outcomeOf(status), status }),
      (error: NodeJS.ErrnoException) =>
        ({ outcome: 'info', status: null, receiptId: null, detail: error.code ?? error.message }) as const,
    );
    const result: Send = { ...request, ...ended, endedAtMs: Date.now() };
    log.push(result);
    return result;
  };

  return {
    send,
    async sendUntilAnswered(webhook, limitMs) {
      const deadlineMs = performance.now() + limitMs;
      for (;;) {
        const result = await send(webhook);
        if (result.outcome !== 'info') return result;
        if (performance.now() >= deadlineMs)
          throw new Error(`${webhook.identity} was not taken within ${limitMs} ms: ${result.status} ${result.detail}`);
        await delay(pauseMs);
      }
    },
    log,
    close: () => agent.destroy(),
  };
}

export function numbersFrom(first: number): () => number {
  let next = first;
  return () => next++;
}

function outcomeOf(status: number): Send['outcome'] {
  if (status >= 200 && status < 300) return 'ok';
  return status >= 400 && status < 500 ? 'fail' : 'info';
}

function readAnswer(status: number, body: Buffer): Pick<Send, 'receiptId' | 'detail'> {
  try {
    const { id, code } = JSON.parse(body.toString()) as { id?: string; code?: string };
    return { receiptId: (status < 300 && id) || null, detail: code ?? '' };
  } catch {
    return { receiptId: null, detail: body.toString('utf8', 0, 100) };
  }
}

/**
 * What happens to one webhook, in this order: each step costs more than the one before, and a body is read only for those who have
 * passed all that can be told without it.
 *
 *   source known, not deleted → length → signature header, time → body, hashed as it arrives → signature → record → acknowledgment
 *
 * `accepted` means that Kafka has the record with acks=all. Every refusal means that nothing was handed to the producer, but for
 * `unavailable` after that step: then the record may stand on the topic all the same, and the sender's retry is a duplicate.
 */
import type { IncomingMessage } from 'node:http';
import type { Clock } from '#lib/clock';
import { maxPayloadBytes } from '#lib/contract';
import type { CrashPoints } from '#lib/crash-points';
import { type AppError, toAppError } from '#lib/errors';
import { createId, type RandomBytes } from '#lib/ids';
import type { RecordProducer } from '#lib/kafka';
import type { ProblemCode } from '#lib/problem';
import { newTraceparent } from '#lib/telemetry';
import type { BodyReader } from './body-reader.ts';
import { headerText, readHeaders } from './http-headers.ts';
import type { SourceDirectory } from './source-directory.ts';
import type { ActiveSource } from './source.ts';

export interface ReceiveDeps {
  sources: Pick<SourceDirectory, 'known' | 'lookUp'>;
  producer: Pick<RecordProducer, 'send'>;
  /** Full name of the topic of received webhooks. */
  topic: string;
  readBody: BodyReader;
  clock: Clock;
  random: RandomBytes;
  crashPoints: CrashPoints;
}

export interface IncomingWebhook {
  sourceId: string;
  request: IncomingMessage;
  /** Called once it is clear that the body is wanted. */
  wantBody(): void;
}

/** Whose it was, where the source exists. */
interface Addressed {
  source?: { id: string; tenant: string };
}

export type Outcome =
  | { kind: 'accepted'; source: ActiveSource; receiptId: string }
  | ({ kind: 'refused'; code: ProblemCode; error?: AppError } & Addressed)
  | ({ kind: 'client_gone' } & Addressed);

export type ReceiveWebhook = (webhook: IncomingWebhook) => Promise<Outcome>;

export function createReceiveWebhook(deps: ReceiveDeps): ReceiveWebhook {
  const { sources, producer, topic, readBody, clock, random, crashPoints } = deps;

  return async ({ sourceId, request, wantBody }) => {
    const source = sources.known(sourceId) ?? (await sources.lookUp(sourceId));
    if (source === 'unknown') return { kind: 'refused', code: 'not_found' };
    if (source === 'unavailable') return { kind: 'refused', code: 'unavailable' };
    if (source.state !== 'active') {
      return { kind: 'refused', code: source.state === 'deleted' ? 'gone' : 'unavailable', source };
    }
    // Without the header, or in chunks, it is what arrives that counts.
    if (Number(request.headers['content-length']) > maxPayloadBytes) {
      return { kind: 'refused', code: 'payload_too_large', source };
    }

    const headers = readHeaders(request.rawHeaders);
    const nowMs = clock.nowMs();
    const begun = source.scheme.begin({
      headers,
      secrets: source.secretsAt(nowMs),
      nowSeconds: Math.floor(nowMs / 1000),
      query: queryOf(request.url),
      settings: source.schemeSettings,
    });
    if ('rejection' in begun) return { kind: 'refused', code: begun.rejection, source };

    wantBody();
    const read = await readBody(request, begun.check.update);
    if ('stopped' in read) {
      if (read.stopped === 'client_gone') return { kind: 'client_gone', source };
      return { kind: 'refused', code: read.stopped, source };
    }
    const verdict = begun.check.finish();
    if (verdict !== 'valid') return { kind: 'refused', code: verdict, source };

    const receivedAtMs = clock.nowMs();
    const receiptId = createId('rcp', receivedAtMs, random);
    crashPoints.reach('ingress.before-produce');
    try {
      await producer.send({
        topic,
        key: null,
        value: read.body,
        headers: source.recordHeaders({
          receiptId,
          receivedAt: Math.round(receivedAtMs * 1000),
          headers,
          traceparent: newTraceparent(headerText(headers, 'traceparent'), random),
        }),
      });
    } catch (thrown) {
      return { kind: 'refused', source, ...codeOf(toAppError(thrown)) };
    }
    crashPoints.reach('ingress.after-produce');
    return { kind: 'accepted', source, receiptId };
  };
}

/** Kafka away, our queue full, or stopping: come again. A record that the broker refuses, or a bug, is ours to repair. */
function codeOf(error: AppError): { code: ProblemCode; error: AppError } {
  return { code: error.retryable || error.code === 'stopped' ? 'unavailable' : 'internal_error', error };
}

function queryOf(url = ''): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start);
}

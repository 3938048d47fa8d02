/**
 * Decides on one webhook, cheap checks first; its body is read only if all checks before it have passed.
 *
 *   source known, not deleted → sender's address, certificate → length, content type → signature header, time → room → rate → body, hashed as it
 *   arrives → signature → challenge → record → acknowledgment, in time
 *
 * `accepted` means that Kafka has the record with acks=all. A refusal means that nothing was handed to the producer, except for
 * `unavailable` after that step: then the record may be on the topic, and the sender's retry is a duplicate.
 */
import type { IncomingMessage } from 'node:http';
import { maxPayloadBytes } from '#lib/contract';
import type { ProblemCode } from '#lib/problem';
import { type AppError, type Clock, type CrashPoints, createId, type RandomBytes, toAppError } from '#lib/runtime';
import type { Trails } from '#lib/signatures';
import { newTraceparent } from '#lib/telemetry';
import type { Admission } from '../load-shedding/admission.ts';
import type { RateGate } from '../load-shedding/rate-gate.ts';
import type { CredentialNames } from '../sources/credential-names.ts';
import { findSource } from '../sources/find-source.ts';
import type { Sender } from '../sources/sender-gate.ts';
import type { SourceDirectory } from '../sources/source-directory.ts';
import { type BodyReader, readSoFar } from './body-reader.ts';
import { problemOfHeaders, readHeaders } from './http-headers.ts';
import type { Outcome } from './outcome.ts';

export interface ReceiveDeps {
  sources: Pick<SourceDirectory, 'known' | 'lookUp' | 'recent'>;
  credentialNames: Pick<CredentialNames, 'of' | 'recent'>;
  admission: Admission;
  rateGate: RateGate;
  /** Full name of the topic of received webhooks. */
  topic: string;
  readBody: BodyReader;
  trails: Pick<Trails, 'read'>;
  clock: Clock;
  random: RandomBytes;
  crashPoints: CrashPoints;
}

interface IncomingWebhook {
  sourceId: string;
  sender: Sender;
  request: IncomingMessage;
  /** The traceparent of its record; if it is not valid, the record begins a trace. */
  traceparent: string;
  /** Called once it is clear that the body is wanted. */
  wantBody(): void;
}

export type ReceiveWebhook = (webhook: IncomingWebhook) => Promise<Outcome>;

export function createReceiveWebhook(deps: ReceiveDeps): ReceiveWebhook {
  const { sources, credentialNames, admission, rateGate, topic, readBody, trails, clock, random, crashPoints } = deps;

  return async ({ sourceId, sender, request, traceparent: given, wantBody }) => {
    const seenAtMs = clock.monotonicMs();
    const namesRead = credentialNames.recent();
    const source = await findSource(sources, sourceId);
    if ('kind' in source) return source;
    const senderRefusal = source.senderGate(sender);
    if (senderRefusal !== undefined) return { kind: 'refused', code: senderRefusal, source };
    // Without the header, or in chunks, it is what arrives that counts.
    if (Number(request.headers['content-length']) > maxPayloadBytes) {
      return { kind: 'refused', code: 'payload_too_large', source };
    }

    const headers = readHeaders(request.rawHeaders);
    const detail = problemOfHeaders(headers);
    if (detail !== undefined) return { kind: 'refused', code: 'validation_failed', detail, source };
    const nowMs = clock.nowMs();
    const begun = source.scheme.begin({
      headers,
      secrets: source.secretsAt(nowMs),
      nowSeconds: Math.floor(nowMs / 1000),
      query: queryOf(request.url),
      settings: source.schemeSettings,
    });
    if ('rejection' in begun) return { kind: 'refused', code: begun.rejection, source };
    if (admission.admit() !== undefined) return { kind: 'refused', code: 'unavailable', source, turnedAway: true };
    const overRate = await rateGate(source);
    if (overRate !== undefined) return overRate;

    const spentMs = clock.monotonicMs() - seenAtMs;
    wantBody();
    const read = await readBody(request, begun.check.update);
    if ('stopped' in read) {
      if (read.stopped === 'client_gone') return { kind: 'client_gone', source };
      return { kind: 'refused', code: read.stopped, source, read: read.read };
    }
    const deadlineMs = admission.deadlineMs(spentMs);
    const verdict = begun.check.finish();
    if (verdict !== 'valid') return { kind: 'refused', code: verdict, source, read: readSoFar(read.body) };
    const challenge = source.scheme.challengeOf?.(read.body);
    if (challenge !== undefined) return { kind: 'challenge', source, challenge };

    if (namesRead !== undefined) await namesRead;
    const receivedAtMs = clock.nowMs();
    const receiptId = createId('rcp', receivedAtMs, random);
    const orderingKey = source.orderingKey({ headers, body: read.body });
    const traceparent = newTraceparent(given, random);
    crashPoints.reach('ingress.before-produce');
    try {
      const recordHeaders = source.recordHeaders({
        receiptId,
        receivedAt: Math.round(receivedAtMs * 1000),
        rawHeaders: request.rawHeaders,
        headers,
        method: request.method ?? '',
        url: request.url ?? '',
        address: sender.address,
        orderingKey,
        traceparent,
        trail: trails.read(headers['hookline-trail']),
        credentials: credentialNames.of(source.tenant),
      });
      await admission.send({ topic, key: orderingKey, value: read.body, headers: recordHeaders }, deadlineMs);
    } catch (thrown) {
      return { kind: 'refused', source, ...codeOf(toAppError(thrown)) };
    }
    crashPoints.reach('ingress.after-produce');
    return { kind: 'accepted', source, receiptId, traceparent };
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

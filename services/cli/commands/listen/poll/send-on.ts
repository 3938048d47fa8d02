import { type ApiClient, type HttpResult, sendAgain } from '#lib/api-client';
import { decodeContent } from '#lib/content-coding';
import { headerText } from '#lib/contract';
import { signatureHeaders, signingSecret } from '#lib/signatures';
import { valueOf } from '../../../api-calls/api-failure.ts';
import { pathOf } from '../../../api-calls/path-of.ts';
import type { Context } from '../../../context.ts';
import { printable } from '../../../output/print.ts';
import { printRetry } from '../../../output/print-retry.ts';
import { forwardTo } from '../forward.ts';
import type { Arrival } from '../listener.ts';
import { verifyArrival } from '../verify-arrival.ts';
import type { Accepted } from './accepted-events.ts';

interface Options {
  client: Pick<ApiClient, 'bytes'>;
  secret: string;
  /** Undefined: nothing is sent, only shown. */
  target: string | undefined;
  signal: AbortSignal;
}

/** The request as it was sent, with the answer; or why there was none. */
type SendOn = (event: Accepted) => Promise<Arrival | 'interrupted' | 'no payload'>;

export function createSendOn(context: Context, { client, secret, target, signal }: Options): SendOn {
  const { process, clock, random } = context;
  const key = signingSecret(secret);

  /** Signed anew for each attempt, as by the dispatcher: a receiver refuses an old time. */
  function sign({ id, type }: Accepted, payload: Payload, attempt: number) {
    const nowMs = clock.nowMs();
    const headers = {
      ...(payload.contentType !== undefined && { 'content-type': payload.contentType }),
      ...(payload.contentEncoding !== undefined && { 'content-encoding': payload.contentEncoding }),
      'user-agent': 'Hookline',
      'accept-encoding': 'identity',
      ...signatureHeaders({ secrets: [key], id, timestampSeconds: Math.floor(nowMs / 1_000), body: payload.body }),
      'hookline-event-type': headerText(type),
      'hookline-attempt': String(attempt),
    };
    return { headers, nowMs };
  }

  async function send(
    event: Accepted,
    payload: Payload,
  ): Promise<{ signed: ReturnType<typeof sign>; result?: HttpResult }> {
    if (target === undefined) return { signed: sign(event, payload, 1) };
    let attempt = 0;
    let signed = sign(event, payload, 1);
    const { result } = await sendAgain(
      () => {
        attempt += 1;
        signed = sign(event, payload, attempt);
        return forwardTo(target, { method: 'POST', headers: signed.headers, body: payload.body }, signal);
      },
      {
        clock: { ...clock, sleep: (ms) => clock.sleep(ms, signal) },
        random,
        maxAttempts: Infinity,
        retriedStatuses: [429, 503],
        isOver: () => signal.aborted,
        onRetry(failed, waitMs) {
          if (signal.aborted) return;
          process.stderr.write(`${printable(event.id)} waits for ${printable(target)}: `);
          printRetry(context)(failed, waitMs);
        },
      },
    );
    return { signed, result };
  }

  return async (event) => {
    const got = await client.bytes(pathOf('events', event.id, 'payload'));
    if (!got.ok && signal.aborted) return 'interrupted';
    if (!got.ok && got.failure.kind === 'problem' && [404, 410].includes(got.failure.status)) {
      process.stderr.write(`${printable(event.id)} is left out: its payload has been removed\n`);
      return 'no payload';
    }
    const payload = valueOf(got);
    const { signed, result } = await send(event, payload);
    if (result !== undefined && 'noAnswer' in result) return 'interrupted';
    const { headers, nowMs } = signed;
    const { body, contentEncoding = null } = payload;
    const decoded = await decodeContent(body, contentEncoding);
    return {
      ...{ atMs: nowMs, method: 'POST', path: new URL(target ?? 'http://none/').pathname, headers, body },
      content: 'content' in decoded ? decoded.content : body,
      bytes: body.length,
      verdict: verifyArrival(
        { secrets: [secret] },
        { headers, query: '', body, nowSeconds: Math.floor(nowMs / 1_000) },
      ),
      answer: result === undefined ? 'not forwarded' : result.status,
      senderLeft: false,
    };
  };
}

interface Payload {
  body: Buffer;
  contentType: string | undefined;
  contentEncoding: string | undefined;
}

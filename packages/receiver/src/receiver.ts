import { randomUUID } from 'node:crypto';
import type { OnceStore } from './accept-once.ts';
import {
  checkOptions,
  type ReceivedRequest,
  type RejectionCode,
  type VerifyOptions,
  verifyWebhook,
} from './verify-webhook.ts';
import type { Webhook } from './webhook.ts';

/**
 * Resolves when the webhook is handled: only then it is answered with 204. If it throws, the answer is 500, and the sender sends it again.
 *
 * @param signal aborted when the lease ends: what goes on after that may be done a second time
 */
export type WebhookHandler = (webhook: Webhook, signal: AbortSignal) => unknown;

export interface ReceiverOptions extends VerifyOptions {
  /** `redisStore` or `postgresStore`. Without one, every attempt that arrives is handled. */
  once?: OnceStore | undefined;
  /** Larger bodies are answered with 413. Default: 1 MiB, the most that Hookline sends. */
  maxBodyBytes?: number | undefined;
  /** Called with an error of a handler or the store. Default: `console.error`. */
  onError?: ((error: unknown, webhook: Webhook) => void) | undefined;
}

export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface Receiver {
  readonly maxBodyBytes: number;
  /** Verifies a request, has it handled, and says what to answer; never throws. The adapters call it. */
  receive(request: ReceivedRequest, handler: WebhookHandler): Promise<Reply>;
}

const defaultMaxBodyBytes = 1_048_576;
const storeRetrySeconds = 5;

const rejections: Readonly<Record<RejectionCode, { status: number; detail: string }>> = {
  signature_missing: { status: 401, detail: 'The request has no signature.' },
  signature_malformed: { status: 400, detail: 'The headers of the signature are malformed.' },
  signature_invalid: { status: 401, detail: 'No valid secret made this signature.' },
  timestamp_out_of_tolerance: { status: 401, detail: 'The signed timestamp is too far in the past or future.' },
};

/** @throws TypeError for options with which nothing could be verified, or handled once */
export function createReceiver(options: ReceiverOptions): Receiver {
  checkOptions(options);
  const { once, maxBodyBytes = defaultMaxBodyBytes, onError = (error) => console.error(error) } = options;
  if (once !== undefined && options.scheme === 'hookline') {
    throw new TypeError("once needs a signed id: use the scheme 'standard-webhooks', which Hookline sends too");
  }
  return {
    maxBodyBytes,
    async receive(request, handler) {
      const body = request.body;
      if ((typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength) > maxBodyBytes) return tooLarge();
      const verification = verifyWebhook(request, options);
      if (!verification.valid) {
        const { status, detail } = rejections[verification.code];
        return problem(status, verification.code, detail);
      }
      const { webhook } = verification;
      const report = (error: unknown): void => onError(error, webhook);
      return once === undefined ? handle(webhook, handler, report) : handleOnce(once, webhook, handler, report);
    },
  };
}

async function handle(webhook: Webhook, handler: WebhookHandler, report: (error: unknown) => void): Promise<Reply> {
  try {
    await handler(webhook, new AbortController().signal);
    return handled();
  } catch (error) {
    report(error);
    return failed();
  }
}

async function handleOnce(
  store: OnceStore,
  webhook: Webhook,
  handler: WebhookHandler,
  report: (error: unknown) => void,
): Promise<Reply> {
  const { id } = webhook;
  const token = randomUUID();
  const signal = AbortSignal.timeout(store.leaseMs);
  try {
    const claim = await store.claim(id, token);
    if (claim.state === 'done') return handled();
    if (claim.state === 'leased') return later('webhook_in_progress', Math.ceil(claim.remainingMs / 1_000));
  } catch (error) {
    report(error);
    // The claim may have been made nevertheless. Best effort: if this fails too, the lease ends by itself.
    void store.release(id, token).catch(() => undefined);
    return later('store_unavailable', storeRetrySeconds);
  }
  try {
    await handler(webhook, signal);
  } catch (error) {
    await store.release(id, token).catch(report);
    report(error);
    return failed();
  }
  // Handled, so 204 even if the store doesn't hear of it: with any other answer the sender would have it handled again.
  await store.complete(id).catch(report);
  return handled();
}

const handled = (): Reply => ({ status: 204, headers: {}, body: '' });

const failed = (): Reply => problem(500, 'handler_failed', 'The webhook could not be handled. Send it again.');

/** 503 and not 2xx: the handler that holds the lease may still fail, and then the sender must send the webhook again. */
const later = (code: string, seconds: number): Reply =>
  problem(503, code, 'Send the webhook again after Retry-After.', { 'retry-after': String(seconds) });

export const tooLarge = (): Reply =>
  problem(413, 'payload_too_large', 'The body is larger than this receiver accepts.');

function problem(status: number, code: string, detail: string, headers: Record<string, string> = {}): Reply {
  return {
    status,
    headers: { ...headers, 'content-type': 'application/problem+json' },
    body: JSON.stringify({ status, code, detail }),
  };
}

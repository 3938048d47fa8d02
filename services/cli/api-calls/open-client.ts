import { type Client, type ClientOptions, connect } from '#client';
import { parseExact } from '#lib/exact-json';
import { loadApiConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { printRetry } from '../output/print.ts';
import { sendAgain } from './send-again.ts';

type Resending = Pick<ClientOptions, 'resend' | 'signal'>;

/** For a person who waits: some seconds in all. */
const maxAttempts = 4;

/** A read fails at once if the API is away; a POST, which has a key, is repeated until its outcome is known. All others are sent once. */
const someTimes = (context: Context): Resending => ({
  async resend(send, method) {
    if (method !== 'GET' && method !== 'POST') return send();
    const { clock, random } = context;
    const unanswered = method === 'POST';
    return (await sendAgain(send, { clock, random, maxAttempts, unanswered, onRetry: printRetry(context) })).result;
  },
});

/** @throws AppError config_invalid if the settings have no URL or no key */
export function openClient(
  context: Context,
  tenant: string | undefined,
  resending: Resending = someTimes(context),
): Client {
  const { apiUrl, adminKey: credential } = loadApiConfig(context);
  return connect(apiUrl, { credential, tenant, parse: (text) => parseExact(text, 'whole'), ...resending });
}

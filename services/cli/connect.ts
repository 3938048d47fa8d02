import { systemClock } from '#lib/clock';
import { type ApiClient, createApiClient } from './api-client.ts';
import { loadApiConfig } from './config.ts';
import type { HttpResult } from './http.ts';
import { sendAgain, tellRetry } from './send-again.ts';

/** Of every command that asks the API. */
export const tenantOption = { tenant: { type: 'string' } } as const;

/** @param things what the command is about */
export const tenantHelp = (things: string): string =>
  `  --tenant NAME                whose ${things} (default: default)\n  --json                       the answer as JSON`;

/** Whoever asks waits for the answer: some seconds in all. */
const maxAttempts = 4;

export const connect = (tenant: string | undefined): ApiClient =>
  createApiClient({
    ...loadApiConfig(),
    tenant,
    // An API that is not there is told of at once: nothing was begun that would have to be brought to an end.
    persistGet: (send) => persist(send, { unanswered: false }),
    persistPost: (send) => persist(send, { unanswered: true }),
  });

async function persist(send: () => Promise<HttpResult>, { unanswered }: { unanswered: boolean }): Promise<HttpResult> {
  const options = { clock: systemClock, random: Math.random, maxAttempts, unanswered, onRetry: tellRetry };
  return (await sendAgain(send, options)).result;
}

export const pathOf = (collection: string, id: string): string => `/${collection}/${encodeURIComponent(id)}`;

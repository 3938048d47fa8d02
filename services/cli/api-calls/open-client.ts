import { type ApiClient, type ApiClientOptions, createApiClient, type HttpResult, sendAgain } from '#lib/api-client';
import { systemClock } from '#lib/clock';
import { loadApiConfig } from '../config.ts';
import { printRetry } from '../output/print-retry.ts';

type Resending = Pick<ApiClientOptions, 'resendGet' | 'resendPost' | 'signal'>;

/** For a person who waits: some seconds in all. */
const maxAttempts = 4;

async function resend(send: () => Promise<HttpResult>, unanswered: boolean): Promise<HttpResult> {
  const options = { clock: systemClock, random: Math.random, maxAttempts, unanswered, onRetry: printRetry };
  return (await sendAgain(send, options)).result;
}

const someTimes: Resending = {
  // A read fails at once if the API is away; a POST is repeated until its outcome is known.
  resendGet: (send) => resend(send, false),
  resendPost: (send) => resend(send, true),
};

/** @throws AppError config_invalid if the settings have no URL or no key */
export function openClient(tenant: string | undefined, resending: Resending = someTimes): ApiClient {
  const { apiUrl: url, adminKey: credential } = loadApiConfig();
  return createApiClient({ url, credential, tenant, ...resending });
}

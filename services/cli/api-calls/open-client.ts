import { type ApiClient, type ApiClientOptions, createApiClient, type HttpResult, sendAgain } from '#lib/api-client';
import { loadApiConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { printRetry } from '../output/print.ts';

type Resending = Pick<ApiClientOptions, 'resendGet' | 'resendPost' | 'signal'>;

/** For a person who waits: some seconds in all. */
const maxAttempts = 4;

function someTimes(context: Context): Resending {
  const { clock, random } = context;
  const resend = async (send: () => Promise<HttpResult>, unanswered: boolean): Promise<HttpResult> => {
    const options = { clock, random, maxAttempts, unanswered, onRetry: printRetry(context) };
    return (await sendAgain(send, options)).result;
  };
  return {
    // A read fails at once if the API is away; a POST is repeated until its outcome is known.
    resendGet: (send) => resend(send, false),
    resendPost: (send) => resend(send, true),
  };
}

/** @throws AppError config_invalid if the settings have no URL or no key */
export function openClient(
  context: Context,
  tenant: string | undefined,
  resending: Resending = someTimes(context),
): ApiClient {
  const { apiUrl: url, adminKey: credential } = loadApiConfig(context);
  return createApiClient({ url, credential, tenant, ...resending });
}

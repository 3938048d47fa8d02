import { isDeepStrictEqual } from 'node:util';
import {
  type BackoffSettings,
  credentialsKept,
  endpointDefaults,
  type EndpointSettings,
  longestWindowSeconds,
  maskProxy,
  problemOfPassRule,
  scheduleDefaults,
  type ScheduleSettings,
} from '#lib/contract';
import { problemsOfFilter } from '#lib/event-filter';
import type { Verdict } from '#lib/http-client';
import type { Query } from '#lib/postgres';
import { isUsableSecret } from '#lib/signatures';
import type { FieldErrors } from '../http/send-problem.ts';
import type { RouteDeps } from '../route.ts';
import { unknownSources } from '../sources/index.ts';
import type { GivenEndpoint } from './given-endpoint.ts';
import { type GivenPrivate, readPrivate, withoutCredentials } from './private-settings.ts';
import type { EndpointContent } from './queries.ts';

interface Refusal {
  code: 'validation_failed' | 'url_not_allowed';
  errors: FieldErrors;
}

type Checks = Pick<RouteDeps, 'vetUrl' | 'vetProxy' | 'payloadRetentionDays' | 'minRetrySeconds' | 'clock'> & {
  postgres: Query;
  tenant: string;
  /** The body of a change. */
  patch?: Readonly<Record<string, unknown>>;
};

/**
 * The endpoint that a request leads to, or its errors across fields. An unchanged URL, proxy, certificate, retry or list of sources is not
 * validated again: a source may be deleted since, a network closed, a certificate expired, a limit raised, and other fields must still be
 * changeable.
 *
 * @param before the stored endpoint with its secrets: masked values stand for them
 */
export async function validateEndpoint(
  { secret, headers, proxy, client_certificate, ...given }: GivenEndpoint & { secret?: string },
  before: EndpointContent | undefined,
  { postgres, tenant, patch = {}, clock, vetUrl, vetProxy, payloadRetentionDays, minRetrySeconds }: Checks,
): Promise<{ content: EndpointContent } | Refusal> {
  const hidden = readPrivate({ headers, proxy, client_certificate }, before?.settings ?? {}, clock.nowMs());
  const content = contentOf({ ...given, ...hidden.read });
  const { url, settings } = content;
  const errors = [
    ...errorIf(!URL.canParse(url), '/url', 'must be an absolute URL'),
    ...(secret === undefined ? [] : secretErrors(secret)),
    ...hidden.errors,
    ...(before === undefined ? [] : errorsOfNewOrigin({ url: given.url, proxy }, before, { settings, patch })),
    ...filterErrors(content.filter),
    ...passHeaderErrors(settings.pass_headers ?? []),
    ...retryErrors(settings.retry ?? {}, longestWindowSeconds(payloadRetentionDays)),
    ...hastyErrors(settings.retry ?? {}, before?.settings.retry ?? {}, minRetrySeconds),
    ...(await sourceErrors(postgres, tenant, content.source_ids, before?.source_ids ?? [])),
  ];
  if (errors.length > 0) return { code: 'validation_failed', errors };
  const refused = [
    ...(url === before?.url ? [] : refusals('/url', vetUrl(url))),
    ...(settings.proxy === undefined || settings.proxy === before?.settings.proxy
      ? []
      : refusals('/proxy', vetProxy(withoutCredentials(settings.proxy)))),
  ];
  return refused.length > 0 ? { code: 'url_not_allowed', errors: refused } : { content };
}

/** A key that may change where an endpoint leads must not learn by that what it sends. */
const errorsOfNewOrigin = (
  to: { url: string; proxy?: string | undefined },
  before: EndpointContent,
  { settings, patch }: { settings: EndpointSettings; patch: Readonly<Record<string, unknown>> },
): FieldErrors =>
  isSeenByOthers(to, before)
    ? credentialsKept(settings, patch).map((field) => ({
        field,
        message: 'must be sent again, because the URL has a new origin',
      }))
    : [];

/** Whether the change would send the headers to another origin or, without TLS, through another proxy. */
function isSeenByOthers({ url, proxy }: { url: string; proxy?: string | undefined }, before: EndpointContent): boolean {
  if (URL.parse(url)?.origin !== URL.parse(before.url)?.origin) return true;
  const { proxy: proxyBefore } = before.settings;
  const isKept =
    proxy === undefined || (proxyBefore !== undefined && proxy === maskProxy(proxyBefore)) || proxy === proxyBefore;
  return URL.parse(url)?.protocol === 'http:' && !isKept;
}

/** The stored form: fields absent from `settings` get their defaults when read. */
function contentOf(given: Omit<GivenEndpoint, keyof GivenPrivate> & EndpointSettings): EndpointContent {
  const { url, description = '', event_types = [], source_ids = [], filter = null, ...settings } = given;
  return { url, description, event_types, source_ids, filter, settings };
}

const refusals = (field: string, verdict: Verdict): FieldErrors =>
  verdict.allowed ? [] : [{ field, message: `is not allowed: ${verdict.reason}` }];

const errorIf = (isWrong: boolean, field: string, message: string): FieldErrors =>
  isWrong ? [{ field, message }] : [];

export const secretErrors = (secret: string): FieldErrors =>
  errorIf(!isUsableSecret(secret), '/secret', 'must have a key after its prefix');

function filterErrors(filter: unknown): FieldErrors {
  if (filter === null) return [];
  return problemsOfFilter(filter).map(({ path, message }) => ({ field: `/filter${path}`, message }));
}

const passHeaderErrors = (rules: readonly string[]): FieldErrors =>
  rules.flatMap((rule, index) => {
    const message = problemOfPassRule(rule);
    return message === undefined ? [] : [{ field: `/pass_headers/${index}`, message }];
  });

type Retry = BackoffSettings | ScheduleSettings;

function retryErrors(retry: Retry, windowSeconds: number): FieldErrors {
  if ('schedule' in retry) {
    const { schedule, jitter = scheduleDefaults.jitter, ...backoff } = retry;
    const mixed = Object.keys(backoff).map((name) => ({
      field: `/retry/${name}`,
      message: 'cannot be combined with schedule',
    }));
    const longestSeconds = schedule.reduce((sum, wait) => sum + wait, 0) * (1 + jitter);
    const message = `must not add up to more than ${windowSeconds} seconds, jitter included`;
    return [...mixed, ...errorIf(longestSeconds > windowSeconds, '/retry/schedule', message)];
  }
  if ('jitter' in retry) return [{ field: '/retry/jitter', message: 'requires schedule' }];
  const { base_seconds, cap_seconds } = { ...endpointDefaults.retry, ...retry };
  const message = `must not be less than base_seconds (${base_seconds})`;
  return errorIf(cap_seconds < base_seconds, '/retry/cap_seconds', message);
}

/** Waits that are shorter than the operator allows, unless they were so before. */
function hastyErrors(retry: Retry, before: Retry, minSeconds: number): FieldErrors {
  const message = `must be >= ${minSeconds}`;
  if (!('schedule' in retry)) {
    const { base_seconds: base } = retry;
    const isKept = 'base_seconds' in before && before.base_seconds === base;
    return errorIf(base !== undefined && base < minSeconds && !isKept, '/retry/base_seconds', message);
  }
  const isKept = 'schedule' in before && isDeepStrictEqual(before.schedule, retry.schedule);
  return retry.schedule.flatMap((wait, index) =>
    errorIf(wait < minSeconds && !isKept, `/retry/schedule/${index}`, message),
  );
}

async function sourceErrors(
  postgres: Query,
  tenant: string,
  sourceIds: readonly string[],
  known: readonly string[],
): Promise<FieldErrors> {
  const added = sourceIds.filter((id) => !known.includes(id));
  const unknown = await unknownSources(postgres, tenant, added);
  return sourceIds.flatMap((id, index) =>
    errorIf(unknown.has(id), `/source_ids/${index}`, 'is not the id of a source'),
  );
}

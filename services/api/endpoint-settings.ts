import {
  type BackoffSettings,
  endpointDefaults,
  type EndpointSettings,
  longestWindowSeconds,
  scheduleDefaults,
  type ScheduleSettings,
} from '#lib/contract';
import { problemsOfFilter } from '#lib/event-filter';
import type { Query } from '#lib/postgres';
import { isUsableSecret } from '#lib/signatures';
import { description, eventType, rateLimit, seconds, wholeNumber } from './fields.ts';
import type { EndpointContent } from './resources/endpoint.ts';
import { unknownSources } from './resources/source.ts';
import type { RouteDeps } from './route.ts';
import type { FieldErrors } from './send-problem.ts';

/** A client's own words for what people set of an endpoint. */
export interface GivenEndpoint extends EndpointSettings {
  url: string;
  description?: string;
  event_types?: string[];
  source_ids?: string[];
  filter?: unknown;
}

const day = 24 * 3600;
/** Both forms: that one keeps to one of them is for `retryErrors`, which can say so. */
const retry = (payloadRetentionDays: number) =>
  ({
    type: 'object',
    additionalProperties: false,
    properties: {
      base_seconds: seconds(0.01, day),
      cap_seconds: seconds(0.01, 7 * day),
      window_seconds: seconds(1, longestWindowSeconds(payloadRetentionDays)),
      max_attempts: wholeNumber(1, 1_000),
      schedule: { type: 'array', minItems: 1, maxItems: 100, items: seconds(0, 7 * day) },
      jitter: { type: 'number', minimum: 0, maximum: 1 },
    } satisfies Record<keyof BackoffSettings | keyof ScheduleSettings, object>,
  }) as const;

/** What people set of an endpoint, as schemas. How fields go together, and with what there is, is for `refusalOf`. */
export const endpointFields = (payloadRetentionDays: number) =>
  ({
    url: {
      type: 'string',
      minLength: 1,
      maxLength: 2_048,
      pattern: '^[^\\u0000-\\u001f\\u007f]*$',
      description: 'an absolute URL',
    },
    description,
    event_types: { type: 'array', maxItems: 100, uniqueItems: true, items: eventType },
    source_ids: { type: 'array', maxItems: 100, uniqueItems: true, items: { type: 'string', maxLength: 100 } },
    // Its grammar is the filter's own business.
    filter: {},
    timeout_ms: wholeNumber(100, 60_000),
    max_in_flight: wholeNumber(1, 1_000),
    rate_limit: rateLimit,
    ordered: { type: 'boolean' },
    retry: retry(payloadRetentionDays),
  }) as const satisfies Record<keyof GivenEndpoint, object>;

/** As it is stored: what is absent from `settings` has its default when it is read. */
export function contentOf(given: GivenEndpoint): EndpointContent {
  const { url, description = '', event_types = [], source_ids = [], filter = null, ...settings } = given;
  return { url, description, event_types, source_ids, filter, settings };
}

/** What a client would have to give for it. */
export function givenOf({ filter, settings, ...content }: EndpointContent): GivenEndpoint {
  const { url, description, event_types, source_ids } = content;
  return { url, description, event_types, source_ids, ...(filter !== null && { filter }), ...settings };
}

export interface Refusal {
  code: 'validation_failed' | 'url_not_allowed';
  errors: FieldErrors;
}

type Checks = Pick<RouteDeps, 'vetUrl' | 'payloadRetentionDays'> & { postgres: Query; tenant: string };

/**
 * What no field shows by itself. A URL and sources that were taken before are not judged again: a source may have been deleted since, or
 * a network closed, and a change of something else is still to be had.
 */
export async function refusalOf(
  given: EndpointContent & { secret?: string },
  before: Pick<EndpointContent, 'url' | 'source_ids'> | undefined,
  { postgres, tenant, vetUrl, payloadRetentionDays }: Checks,
): Promise<Refusal | undefined> {
  const errors = [
    ...urlErrors(given.url),
    ...(given.secret === undefined ? [] : secretErrors(given.secret)),
    ...filterErrors(given.filter),
    ...retryErrors(given.settings.retry ?? {}, longestWindowSeconds(payloadRetentionDays)),
    ...(await sourceErrors(postgres, tenant, given.source_ids, before?.source_ids ?? [])),
  ];
  if (errors.length > 0) return { code: 'validation_failed', errors };
  const verdict = given.url === before?.url ? ({ allowed: true } as const) : vetUrl(given.url);
  if (verdict.allowed) return undefined;
  return { code: 'url_not_allowed', errors: [{ field: '/url', message: `is refused: ${verdict.reason}` }] };
}

const urlErrors = (url: string): FieldErrors =>
  URL.canParse(url) ? [] : [{ field: '/url', message: 'must be an absolute URL' }];

export const secretErrors = (secret: string): FieldErrors =>
  isUsableSecret(secret) ? [] : [{ field: '/secret', message: 'must be more than blanks behind its prefix' }];

function filterErrors(filter: unknown): FieldErrors {
  if (filter === null) return [];
  const problems = problemsOfFilter(filter).map(({ path, message }) => ({ field: `/filter${path}`, message }));
  if (problems.length > 0 || !unstorable.test(JSON.stringify(filter))) return problems;
  return [{ field: '/filter', message: 'must not have the character U+0000, or half of a surrogate pair' }];
}

/** In JSON as it is written here, what a column of JSON refuses: `\u0000` and lone surrogates, their backslash not itself escaped. */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

function retryErrors(retry: BackoffSettings | ScheduleSettings, windowSeconds: number): FieldErrors {
  if ('schedule' in retry) {
    const { schedule, jitter = scheduleDefaults.jitter, ...backoff } = retry;
    const mixed = Object.keys(backoff).map((name) => ({ field: `/retry/${name}`, message: 'goes without a schedule' }));
    const longestSeconds = schedule.reduce((sum, wait) => sum + wait, 0) * (1 + jitter);
    if (longestSeconds <= windowSeconds) return mixed;
    const message = `must not add up to more than ${windowSeconds} seconds, its jitter included`;
    return [...mixed, { field: '/retry/schedule', message }];
  }
  if ('jitter' in retry) return [{ field: '/retry/jitter', message: 'goes with a schedule alone' }];
  const { base_seconds, cap_seconds } = { ...endpointDefaults.retry, ...retry };
  return cap_seconds < base_seconds
    ? [{ field: '/retry/cap_seconds', message: `must not be below base_seconds, which is ${base_seconds}` }]
    : [];
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
    unknown.has(id) ? [{ field: `/source_ids/${index}`, message: 'is not the id of a source' }] : [],
  );
}

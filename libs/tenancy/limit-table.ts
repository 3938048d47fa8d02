/** The unit in which a limit is counted: things at a time, bytes, things per second, or levels of nesting. */
export type LimitUnit = 'count' | 'bytes' | 'per_second' | 'levels';

/** The things that `used` of `GET /v1/limits` counts, in words for the documentation; without any it is null. */
export const usedWords = {
  tenant: 'now',
  process: 'now, in the process that answers',
  burst: 'requests of the burst that are not back yet, all processes together',
} as const;

export type Used = keyof typeof usedWords;

/**
 * Limits of one tenant on shared resources. docs/tenancy.md is generated from this table; the code looks a limit up by its name
 * (`TenantLimits`), and a 429 contains that name.
 */
export interface LimitDefinition {
  default: number;
  /** The highest value that an operator may set: the pipeline was tested with it. */
  max: number;
  unit: LimitUnit;
  /** The things counted, as they read after a number: "10000 endpoints that are not deleted". */
  counts: string;
  used?: Used;
  /** The behaviour at the limit, for the user who meets it. */
  atLimit: string;
}

const mebibyte = 1024 * 1024;

export const limitTable = {
  sources: {
    default: 10_000,
    max: 300_000,
    unit: 'count',
    counts: 'sources that are not deleted',
    used: 'tenant',
    atLimit: 'creating another is 429',
  },
  endpoints: {
    default: 10_000,
    max: 100_000,
    unit: 'count',
    counts: 'endpoints that are not deleted',
    used: 'tenant',
    atLimit: 'creating another is 429',
  },
  api_keys: {
    default: 1_000,
    max: 100_000,
    unit: 'count',
    counts: 'API keys that are not revoked',
    used: 'tenant',
    atLimit: 'creating another is 429',
  },
  sessions: {
    default: 1_000,
    max: 100_000,
    unit: 'count',
    counts: 'sessions that have not ended, and open portal links',
    used: 'tenant',
    atLimit: 'making another is 429',
  },
  requests_per_second: {
    default: 500,
    max: 1_000_000,
    unit: 'per_second',
    counts: 'requests per second to the API, all keys of the tenant together, with bursts of twice that',
    used: 'burst',
    atLimit: 'further requests are 429; a key with a higher `rate_limit` is 400',
  },
  waiting_requests: {
    default: 200,
    max: 100_000,
    unit: 'count',
    counts: 'requests per API process that wait for a database connection or for publication',
    used: 'process',
    atLimit: 'further requests are 429; a request that has waited for 4 seconds is 503',
  },
  long_polls: {
    default: 10_000,
    max: 1_000_000,
    unit: 'count',
    counts: 'long polls per API process',
    used: 'process',
    atLimit: 'further requests are 429',
  },
  replays: {
    default: 100,
    max: 10_000,
    unit: 'count',
    counts: 'unfinished replays with several items or by filter',
    used: 'tenant',
    atLimit: 'another replay is 429; one replay runs at a time, the others wait',
  },
  single_replays: {
    default: 1_000,
    max: 100_000,
    unit: 'count',
    counts: 'endpoint tests, retries and replays of single items that have not been sent yet',
    used: 'tenant',
    atLimit: 'another one is 429',
  },
  searches: {
    default: 1,
    max: 4,
    unit: 'count',
    counts: 'searches of payloads at a time, all processes of the API together',
    used: 'tenant',
    atLimit: 'another search is 429',
  },
  source_bytes: {
    default: 64 * mebibyte,
    max: 1_024 * mebibyte,
    unit: 'bytes',
    counts: 'bytes of sources, including those deleted within 30 days; each counts as 500 bytes plus its settings',
    used: 'tenant',
    atLimit: 'creating another one, or making one larger, is 429',
  },
  endpoint_bytes: {
    default: 64 * mebibyte,
    max: 1_024 * mebibyte,
    unit: 'bytes',
    counts:
      'bytes of endpoints with their changes of 30 days, including endpoints deleted within 30 days; each counts as 500 bytes plus its settings',
    used: 'tenant',
    atLimit: 'creating another one, or making one larger, is 429',
  },
  event_types: {
    default: 2_000,
    max: 20_000,
    unit: 'count',
    counts: 'event types, including retired and merged ones',
    used: 'tenant',
    atLimit: 'creating another is 429',
  },
  event_type_bytes: {
    default: 64 * mebibyte,
    max: 1_024 * mebibyte,
    unit: 'bytes',
    counts:
      'bytes of event types with all their versions; each counts as 500 bytes plus its texts, schemas and examples',
    used: 'tenant',
    atLimit: 'creating another one, publishing a version, or making one larger, is 429',
  },
  endpoint_changes: {
    default: 100,
    max: 1_000,
    unit: 'count',
    counts: 'changes of the subscription of one endpoint (event types, sources, filter, disabled) within 30 days',
    atLimit: 'another such change, or enabling, is 429; disabling and deleting are always possible',
  },
  endpoint_change_bytes: {
    default: 256 * 1_024,
    max: 4 * mebibyte,
    unit: 'bytes',
    counts: 'bytes of earlier subscriptions of one endpoint within 30 days',
    atLimit: 'another such change, or enabling, is 429; disabling and deleting are always possible',
  },
} as const satisfies Record<string, LimitDefinition>;

/** The way to raise a limit of this table. */
export const tenantLimitRaisedBy = 'the operator, by `PUT /v1/tenants/{id}` or `HOOKLINE_TENANT_LIMITS`';

export type LimitName = keyof typeof limitTable;

export const limitNames = Object.keys(limitTable) as LimitName[];

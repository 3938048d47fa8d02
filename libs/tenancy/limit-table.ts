/**
 * How much of everything that tenants share one of them may use. docs/tenancy.md is written from this table; the code asks for a limit by its
 * name (`TenantLimits`), and whoever reaches one is told that name.
 */
export interface LimitDefinition {
  default: number;
  /** The highest that an operator may set: what the pipeline was tried with. */
  max: number;
  /** The things counted, as they read after a number: "10000 endpoints that are not deleted". */
  counts: string;
  /** The behaviour at the limit, for the user who meets it. */
  atLimit: string;
}

const mebibyte = 1024 * 1024;

export const limitTable = {
  sources: {
    default: 10_000,
    max: 300_000,
    counts: 'sources that are not deleted',
    atLimit: 'creating another is 429',
  },
  endpoints: {
    default: 10_000,
    max: 100_000,
    counts: 'endpoints that are not deleted',
    atLimit: 'creating another is 429',
  },
  api_keys: {
    default: 1_000,
    max: 100_000,
    counts: 'API keys that are not revoked',
    atLimit: 'creating another is 429',
  },
  requests_per_second: {
    default: 500,
    max: 1_000_000,
    counts: 'requests a second to the API by all of its keys together, twice as many at once after a pause',
    atLimit: 'a request beyond it is 429; a key with a higher `rate_limit` is 400',
  },
  waiting_requests: {
    default: 200,
    max: 100_000,
    counts: 'requests to one process of the API that wait for a connection to the database, or to be published',
    atLimit: 'a request beyond it is 429; one that has waited for 4 seconds is 503',
  },
  long_polls: {
    default: 10_000,
    max: 1_000_000,
    counts: 'requests with `wait` that one process of the API holds',
    atLimit: 'a request beyond it is 429',
  },
  replays: {
    default: 100,
    max: 10_000,
    counts: 'replays of several items that have not ended',
    atLimit: 'asking for another is 429; one of them is under way, the others wait for it',
  },
  single_replays: {
    default: 1_000,
    max: 100_000,
    counts: 'tests of endpoints, retries and other replays of one item that have not been sent',
    atLimit: 'asking for another is 429',
  },
  source_bytes: {
    default: 64 * mebibyte,
    max: 1_024 * mebibyte,
    counts:
      'bytes of sources, those included that were deleted within 30 days; each counts as 500 and what is set of it',
    atLimit: 'creating another, and a change that makes one larger, is 429',
  },
  endpoint_bytes: {
    default: 64 * mebibyte,
    max: 1_024 * mebibyte,
    counts:
      'bytes of endpoints with their changes of 30 days, those included that were deleted within 30 days; each counts as 500 and what is set of it',
    atLimit: 'creating another, and a change that makes one larger, is 429',
  },
  endpoint_changes: {
    default: 100,
    max: 1_000,
    counts: 'changes within 30 days of what one endpoint gets: its event types, sources and filter, disabled or not',
    atLimit: 'another such change is 429, enabling too; disabling and deleting is always possible',
  },
  endpoint_change_bytes: {
    default: 256 * 1_024,
    max: 4 * mebibyte,
    counts: 'bytes of what one endpoint got before its changes of 30 days',
    atLimit: 'another such change is 429, enabling too; disabling and deleting is always possible',
  },
} as const satisfies Record<string, LimitDefinition>;

export type LimitName = keyof typeof limitTable;

export const limitNames = Object.keys(limitTable) as LimitName[];

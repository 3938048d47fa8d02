import { defaultNumber } from '#lib/config';
import type { OtherLimits } from '#lib/tenancy';
import { fields } from '../config.ts';
import { bodyLimits, maxLevels, maxPageItems } from './body-limits.ts';

/** The rate of one address. Nobody guesses a code; the rate keeps those who try from the database. */
export const redeemingRate = { perSecond: 20, burst: 100 };
/** The rate of a tenant's exports, pages included: each may cost as much as thousands of other requests. */
export const exportRate = { perSecond: 2, burst: 20 };

/** Each has a connection to the database, and a megabyte or two of payloads. */
export const maxSearches = 4;

/** The bucket of a tenant's exports. */
export const exportBucket = (tenant: string): string => `export:${tenant}`;

/** Limits of the API that are no tenant's. Problems name them in `limit`. */
export const apiLimits = {
  key_rate: {
    whose: 'each API key, and each portal session',
    usual: defaultNumber(fields.keyRatePerSecond),
    unit: 'per_second',
    counts: `requests per second, with bursts of ${defaultNumber(fields.keyRateBurst)}; the operator’s key has no rate`,
    used: 'burst',
    atLimit: 'further requests are 429',
    raisedBy:
      '`rate_limit` of a key, up to `requests_per_second`; `HOOKLINE_API_KEY_RATE_PER_SECOND`, `HOOKLINE_API_KEY_RATE_BURST`',
  },
  key_long_polls: {
    whose: 'each API key',
    usual: defaultNumber(fields.maxHeldPerKey),
    unit: 'count',
    counts: 'long polls per API process',
    used: 'process',
    atLimit: 'the next is 429',
    raisedBy: '`HOOKLINE_LONGPOLL_MAX_PER_KEY`',
  },
  process_long_polls: {
    whose: 'each API process',
    usual: defaultNumber(fields.maxHeld),
    unit: 'count',
    counts: 'long polls of all tenants',
    used: 'process',
    atLimit: 'the next is 503',
    raisedBy: '`HOOKLINE_LONGPOLL_MAX`',
  },
  process_searches: {
    whose: 'each API process',
    usual: maxSearches,
    unit: 'count',
    counts: 'searches of payloads at a time, of all tenants',
    used: 'process',
    atLimit: 'the next is 503',
    raisedBy: 'more processes',
  },
  redeeming: {
    whose: 'each client address',
    usual: redeemingRate.perSecond,
    unit: 'per_second',
    counts: `codes of sessions, codes of portal links, and looks at these, each per second, with bursts of ${redeemingRate.burst}`,
    atLimit: 'further tries are 429',
    raisedBy: 'no setting',
  },
  exports: {
    whose: 'each tenant',
    usual: exportRate.perSecond,
    unit: 'per_second',
    counts: `exports of event types, or pages of one, per second, with bursts of ${exportRate.burst}`,
    used: 'burst',
    atLimit: 'the next is 429',
    raisedBy: 'no setting',
  },
  request_body: {
    whose: 'each request to the API',
    usual: bodyLimits.usual,
    unit: 'bytes',
    counts: 'bytes of its body; some routes take more, or less ([table](../services/api/README.md#bodies))',
    atLimit: '413',
    raisedBy: 'no setting',
  },
  request_levels: {
    whose: 'each request to the API',
    usual: maxLevels,
    unit: 'levels',
    counts: 'levels of lists and objects in its body',
    atLimit: '400',
    raisedBy: 'no setting',
  },
  page_items: {
    whose: 'each request to the API',
    usual: maxPageItems,
    unit: 'count',
    counts: 'items on a page of a list',
    atLimit: 'a larger `limit` is 400',
    raisedBy: 'no setting: follow the `Link` to the next page',
  },
} as const satisfies OtherLimits;

export type ApiLimitName = keyof typeof apiLimits;

/** The prose of limits is Markdown; answers have it without marks and links. */
export const plainText = (markdown: string): string =>
  markdown.replace(/ \(\[[^\]]*\]\([^)]*\)\)/g, '').replaceAll('`', '');

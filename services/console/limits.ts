import type { OtherLimits } from '#lib/tenancy';
import { catalogRate, formLimits } from './http/answer-page.ts';
import { looksPerMinute, signInsPerMinute } from './session/client-limit.ts';

const perClient = {
  whose: 'each client address, at each console process',
  atLimit: 'a page with 429, which says when to try again',
  raisedBy: 'no setting',
} as const;

const perForm = { unit: 'bytes', atLimit: 'a page with 413', raisedBy: 'no setting' } as const;

/** Limits that people meet in the console and the portal. */
export const consoleLimits = {
  signing_in: {
    ...perClient,
    usual: signInsPerMinute,
    unit: 'count',
    counts: 'attempts to sign in or to open a portal link within a minute',
  },
  portal_looks: {
    ...perClient,
    usual: looksPerMinute,
    unit: 'count',
    counts: 'looks at portal links within a minute, which take nothing from `signing_in`',
  },
  catalog_pages: {
    ...perClient,
    usual: catalogRate.perSecond,
    unit: 'per_second',
    counts: `pages of the catalog per second, with bursts of ${catalogRate.burst}`,
  },
  console_form: {
    ...perForm,
    whose: 'each form of the console',
    usual: formLimits.usual,
    counts: `bytes; ${formLimits.payload} of those that take a payload`,
  },
  console_public_form: {
    ...perForm,
    whose: 'each form for those who have not signed in',
    usual: formLimits.public,
    counts: 'bytes',
  },
} as const satisfies OtherLimits;

import { type Field } from '#lib/config';
import { type LimitSettings, parseLimitSettings } from './tenant-limits.ts';

/** The operator's limits: the same text for every service. The API cannot raise a limit. */
export const tenantLimitsField: Field<LimitSettings> = {
  env: 'HOOKLINE_TENANT_LIMITS',
  help: 'limits for all tenants and for single ones, such as `endpoints=20000,acme/endpoints=50000`; names and defaults: docs/tenancy.md; set the same value for every service',
  secret: false,
  defaultText: '',
  parse(text) {
    const read = parseLimitSettings(text);
    return 'problems' in read ? { problem: read.problems.join('; ') } : { value: read.settings };
  },
};

import type { Field } from '#lib/config';
import { AppError } from '#lib/runtime';
import { type LimitName, limitNames, limitTable } from './limit-table.ts';

/** A tenant is at one of its limits; the error names the limit, and the tenant may try again. */
export class LimitReached extends AppError {
  readonly limit: LimitName;

  constructor(tenant: string, limit: LimitName) {
    super('limit_reached', `the tenant ${tenant} has reached its limit ${limit}: ${limitTable[limit].counts}`);
    this.name = 'LimitReached';
    this.limit = limit;
  }
}

/** The operator's limits: for every tenant, and for single ones by name. */
export interface LimitSettings {
  forAll: Partial<Record<LimitName, number>>;
  byTenant: ReadonlyMap<string, Partial<Record<LimitName, number>>>;
}

export interface TenantLimits {
  /** The tenant's own limit, else that for all tenants, else the default. */
  of(tenant: string, limit: LimitName): number;
}

export const noLimitSettings: LimitSettings = { forAll: {}, byTenant: new Map() };

export const createTenantLimits = ({ forAll, byTenant }: LimitSettings): TenantLimits => ({
  of: (tenant, limit) => byTenant.get(tenant)?.[limit] ?? forAll[limit] ?? limitTable[limit].default,
});

/**
 * Reads `endpoints=20000,acme/endpoints=50000`: a limit without a tenant is for all tenants without their own.
 *
 * @returns the settings, or all problems of the text
 */
export function parseLimitSettings(text: string): { settings: LimitSettings } | { problems: string[] } {
  const forAll: Partial<Record<LimitName, number>> = {};
  const byTenant = new Map<string, Partial<Record<LimitName, number>>>();
  const problems: string[] = [];
  for (const part of text.split(',').map((part) => part.trim())) {
    if (part === '') continue;
    const [, tenant, name = '', digits = ''] =
      /^(?:([A-Za-z0-9][\w.-]{0,63})\/)?(\w+)\s*=\s*(\d{1,15})$/.exec(part) ?? [];
    const limit = limitNames.find((known) => known === name);
    const problem = problemOf(part, limit, digits);
    if (problem !== undefined) problems.push(problem);
    if (limit === undefined || problem !== undefined) continue;
    const settings = tenant === undefined ? forAll : (byTenant.get(tenant) ?? {});
    settings[limit] = Number(digits);
    if (tenant !== undefined) byTenant.set(tenant, settings);
  }
  return problems.length > 0 ? { problems } : { settings: { forAll, byTenant } };
}

function problemOf(part: string, limit: LimitName | undefined, digits: string): string | undefined {
  if (digits === '') return `“${part}” must read limit=number or tenant/limit=number`;
  if (limit === undefined) return `“${part}” names no limit: there are ${limitNames.join(', ')}`;
  const { max } = limitTable[limit];
  return Number(digits) > max ? `“${part}” is above ${max}, the highest that the limit may be` : undefined;
}

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

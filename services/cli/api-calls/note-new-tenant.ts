import type { ApiClient } from '#lib/api-client';
import type { Context } from '../context.ts';
import { printable } from '../output/print.ts';

/** The default one, and in the place of a tenant: all. */
const unnoted = ['default', '*'];

/**
 * Notes on the standard error that nothing is known of the tenant: a tenant exists as soon as it is named, so a mistyped name is no error.
 * Says nothing where the key may not read tenants.
 */
export async function noteNewTenant(
  { process }: Context,
  client: Pick<ApiClient, 'request'>,
  tenant: string | undefined,
): Promise<void> {
  if (tenant === undefined || unnoted.includes(tenant)) return;
  const read = await client.request('GET', `/tenants/${encodeURIComponent(tenant)}`);
  if (read.ok || read.failure.kind !== 'problem' || read.failure.problem.code !== 'not_found') return;
  process.stderr.write(
    `note: nothing was ever stored for a tenant ${printable(tenant)}; \`hookline tenants list\` shows those that have something\n`,
  );
}

import type { Client } from '#client';
import type { Context } from '../context.ts';
import { printable } from '../output/print.ts';

/** The API of the settings. They are read at the first call: wrong usage is reported before missing settings. */
export const connect = (context: Context, tenant: string | undefined): Client =>
  openedByCall(async () => {
    // The HTTP client takes a while to load: help and wrong usage don't wait for it.
    const { openClient } = await import('./open-client.ts');
    await noteNewTenant(context, openClient(context, undefined), tenant);
    return openClient(context, tenant);
  });

function openedByCall(open: () => Promise<Client>): Client {
  let opening: Promise<Client> | undefined;
  const client = (): Promise<Client> => (opening ??= open());
  return {
    call: async (name, ...given) => (await client()).call(name, ...given),
    ask: async (name, ...given) => (await client()).ask(name, ...given),
    page: async (name, ...given) => (await client()).page(name, ...given),
    async *pages(name, ...given) {
      yield* (await client()).pages(name, ...given);
    },
    list: async (name, most, ...given) => (await client()).list(name, most, ...given),
    part: async (name, ...given) => (await client()).part(name, ...given),
    withText: async (name, ...given) => (await client()).withText(name, ...given),
    bytes: async (name, ...given) => (await client()).bytes(name, ...given),
  };
}

/** The default one, and in the place of a tenant: all. */
const unnoted = ['default', '*'];

/**
 * Notes on the standard error that nothing is known of the tenant: a tenant exists as soon as it is named, so a mistyped name is no error.
 * Says nothing where the key may not read tenants.
 */
export async function noteNewTenant(
  { process }: Context,
  client: Pick<Client, 'ask'>,
  tenant: string | undefined,
): Promise<void> {
  if (tenant === undefined || unnoted.includes(tenant)) return;
  const read = await client.ask('GET /v1/tenants/:id', { params: { id: tenant } });
  if (read.ok || read.failure.kind !== 'problem' || read.failure.problem.code !== 'not_found') return;
  process.stderr.write(
    `note: nothing was ever stored for a tenant ${printable(tenant)}; \`hookline tenants list\` shows those that have something\n`,
  );
}

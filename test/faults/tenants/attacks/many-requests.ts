import type { Attack } from '../attack.ts';
import type { TenantClient } from '../tenant-client.ts';
import { publish } from './publish.ts';

let key: TenantClient | undefined;

/** H6: keys with a rate that the tenant gives itself, and more requests at once than there are connections to the database. */
export const manyRequests: Attack = {
  name: 'many-requests',
  says: 'a key made with a million requests a second, and 800 POSTs at once with it',
  async prepare({ client }) {
    const rate = { per_second: 1_000_000, burst: 1_000_000 };
    const made = await client.call('POST', '/api-keys', { name: 'many', scopes: ['admin'], rate_limit: rate });
    const usual = await client.call('POST', '/api-keys', { name: 'usual', scopes: ['admin'] });
    const { status, body } = made.status === 201 ? made : usual;
    if (status === 201) key = client.as((body as { key: string }).key);
  },
  async round({ client, times, pause }) {
    await Promise.all(Array.from({ length: times(800) }, () => publish(key ?? client, 'attack.many')));
    await pause(250);
  },
};

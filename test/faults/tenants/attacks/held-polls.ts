import type { Attack } from '../attack.ts';
import type { TenantClient } from '../tenant-client.ts';

const keys: TenantClient[] = [];
const keyCount = 12;

/** M3: every place for requests that are held. The run has the api hold 1,000 at the most, 200 for a key: as many keys as for 10,000. */
export const heldPolls: Attack = {
  name: 'held-polls',
  says: '12 keys that hold 1,200 polls for a minute each, where the api holds 1,000',
  async prepare({ client }) {
    for (let each = 0; each < keyCount; each += 1) {
      const { status, body } = await client.call('POST', '/api-keys', { name: `polls ${each}`, scopes: ['read'] });
      if (status === 201) keys.push(client.as((body as { key: string }).key));
    }
  },
  async round({ signal, pause }) {
    const since = encodeURIComponent(new Date(Date.now() + 3_600_000).toISOString());
    const hold = async (key: TenantClient): Promise<void> => {
      const { status } = await key.call('GET', `/events?updated_at_gte=${since}&wait=60`, undefined, 70_000);
      if (status !== 200 && status !== 204) await pause(1_000);
    };
    const held = keys.flatMap((key) => Array.from({ length: 100 }, () => hold(key)));
    const ended = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await Promise.race([Promise.all(held), ended]);
  },
};

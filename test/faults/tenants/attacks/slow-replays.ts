import type { Attack } from '../attack.ts';
import { publish } from './publish.ts';

const type = 'attack.refused';
const deadLetters = 40;
const replays = 4;

/** H5: replays that take days are ahead of those of others. */
export const slowReplays: Attack = {
  name: 'slow-replays',
  says: 'four replays of ten dead letters each at 0.01 a second, as often as they are taken',
  async prepare({ client, receiverUrl, pause }) {
    const endpoint = { url: receiverUrl('refuses'), event_types: [type], retry: { max_attempts: 1 } };
    await client.call('POST', '/endpoints', endpoint);
    // An endpoint gets what is accepted five seconds after its creation.
    await pause(6_000);
    for (let sent = 0; sent < deadLetters; sent += 1) await publish(client, type);
    await pause(5_000);
  },
  async round({ client, pause }) {
    for (let each = 0; each < replays; each += 1)
      await client.call('POST', '/dead-letters/replay', { event_type: type, limit: 10, rate_per_second: 0.01 });
    await pause(10_000);
  },
};

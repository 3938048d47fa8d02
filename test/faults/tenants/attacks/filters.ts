import type { Attack } from '../attack.ts';
import { createEndpoints, publish } from './publish.ts';

const type = 'attack.filtered';
/** Below the most values that are judged: each condition goes through all of them. */
const payload = { items: Array.from({ length: 24_000 }, (_, at) => ({ a: at % 7 })) };
const filter = { $or: Array.from({ length: 19 }, (_, at) => ({ 'items.a': { $gt: 1_000 + at } })) };
let eventId: string | undefined;

/** H3: filters that are dear to judge, in the api and in fan-out. */
export const filters: Attack = {
  name: 'filters',
  says: 'replays of an event of 24,000 items, which the filters of 60 endpoints go through 19 times each',
  async prepare({ client, times, receiverUrl }) {
    const body = { event_types: [type], filter };
    await createEndpoints(client, times(60), (index) => ({ ...body, url: receiverUrl(`filtered-${index}`) }));
    eventId = await publish(client, type, payload);
  },
  async round({ client, pause }) {
    if (eventId === undefined) eventId = await publish(client, type, payload);
    else await client.call('POST', `/events/${eventId}/replay`, {}, 120_000);
    await pause(100);
  },
};

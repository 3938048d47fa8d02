import type { Attack } from '../attack.ts';
import { createEndpoints, insist } from './publish.ts';

const type = 'attack.slow';

/** H4: places for requests that are held for as long as the time-out lets them, by endpoints that answer 200. */
export const slowEndpoints: Attack = {
  name: 'slow-endpoints',
  says: '600 endpoints that answer 200 after 55 s, an event for all of them every five seconds',
  prepare: ({ client, receiverUrl }) =>
    createEndpoints(client, 600, (index) => ({
      url: receiverUrl(`slow-${index}`),
      event_types: [type],
      timeout_ms: 60_000,
    })),
  async round(attacker) {
    await insist(attacker, type);
    await attacker.pause(5_000);
  },
};

import type { Attack } from '../attack.ts';
import { createEndpoints, insist } from './publish.ts';

/** H1 and M2: one event for very many endpoints, whose outcomes are counted again and again. */
export const wideEvent: Attack = {
  name: 'wide-event',
  says: 'an event for 10,000 endpoints every ten seconds',
  prepare: ({ client, times, receiverUrl }) =>
    createEndpoints(client, times(10_000), (index) => ({
      url: receiverUrl(`wide-${index}`),
      event_types: ['attack.wide'],
    })),
  async round(attacker) {
    await insist(attacker, 'attack.wide');
    await attacker.pause(10_000);
  },
};

import type { Attack } from '../attack.ts';

const types = (round: number): string[] =>
  Array.from({ length: 100 }, (_, at) => `attack.${'x'.repeat(60)}.${round}.${at}`);
let rounds = 0;
const endpointIds: string[] = [];

/** H2: the histories of endpoints grow with each change, and the list of what there is with each creation. */
export const changes: Attack = {
  name: 'changes',
  says: '200 endpoints whose 100 long event types are changed again and again, and sources made meanwhile',
  async prepare({ client, times, receiverUrl }) {
    for (let index = 0; index < times(200); index += 1) {
      const body = { url: receiverUrl(`changed-${index}`), event_types: ['attack.changed'] };
      const answer = await client.call('POST', '/endpoints', body);
      if (answer.status === 201) endpointIds.push((answer.body as { id: string }).id);
    }
  },
  async round({ client }) {
    const change = endpointIds.map((id) => ({ id, event_types: types((rounds += 1)) }));
    for (let at = 0; at < change.length; at += 8) {
      const some = change.slice(at, at + 8);
      await Promise.all([
        ...some.map(({ id, event_types }) => client.call('PATCH', `/endpoints/${id}`, { event_types })),
        client.call('POST', '/sources', { name: 'made', scheme: 'hookline' }),
      ]);
    }
  },
};

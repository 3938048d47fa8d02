import { header } from '#lib/contract';
import { lookUpHeaders } from '../../../services/projector/look-up-headers.ts';
import { eventFact, outcomeFact } from './facts.ts';

test('a dead letter says whose it is where only the record’s value said so', () => {
  expect(lookUpHeaders(outcomeFact({ tenant: 't', eventId: 'evt' }, 'ep', 1, 'delivered'))).toEqual({
    [header.tenant]: 't',
    [header.eventId]: 'evt',
    [header.deliveryId]: 'dlv_evt_ep_0',
    [header.endpointId]: 'ep',
  });
});

test('a name that no row can hold is left out: the dead letter could not be found by it, nor at all', () => {
  const headers = lookUpHeaders(eventFact({ tenant: 't', eventId: 'evt' }, { type: 'a\0b' }));
  expect(headers).toMatchObject({ [header.tenant]: 't', [header.eventId]: 'evt' });
  expect(headers).not.toHaveProperty(header.eventType);
});

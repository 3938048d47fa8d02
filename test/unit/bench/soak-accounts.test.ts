import { account, type Books } from '../../bench/soak/accounts.ts';

/** Two webhooks, one of them repeated, and a publish; each goes to `well`, those of `src` to `refuses` too, which takes the first alone. */
const books = (changed: Partial<Books> = {}): Books => {
  const sent = (webhook: string, receiptId: string) => ({
    webhook,
    receiptId,
    outcome: 'ok',
    detail: '202 ',
    answeredAtMs: 0,
    tookMs: 1,
  });
  return {
    webhooks: [sent('a', 'rcp_1'), sent('a', 'rcp_2'), sent('b', 'rcp_3')] as Books['webhooks'],
    published: [{ eventId: 'evt_p', detail: '', answeredAtMs: 0 }],
    arrivals: new Map([
      ['well', new Map(['evt_a', 'evt_b', 'evt_p'].map((id) => [id, 1]))],
      ['refuses', new Map([['evt_a', 1]])],
    ]),
    endpointsOf: (sourceId) => (sourceId === 'src' ? ['well', 'refuses'] : ['well']),
    receipts: [
      { receiptId: 'rcp_1', eventId: 'evt_a' },
      { receiptId: 'rcp_2', eventId: 'evt_a' },
      { receiptId: 'rcp_3', eventId: 'evt_b' },
    ],
    events: [
      { id: 'evt_a', sourceId: 'src' },
      { id: 'evt_b', sourceId: 'src' },
      { id: 'evt_p', sourceId: 'api' },
    ],
    deliveries: [
      { id: 'dlv_1', eventId: 'evt_a', endpoint: 'well', status: 'delivered' },
      { id: 'dlv_2', eventId: 'evt_a', endpoint: 'refuses', status: 'delivered' },
      { id: 'dlv_3', eventId: 'evt_b', endpoint: 'well', status: 'delivered' },
      { id: 'dlv_4', eventId: 'evt_b', endpoint: 'refuses', status: 'dead_lettered' },
      { id: 'dlv_5', eventId: 'evt_p', endpoint: 'well', status: 'delivered' },
    ],
    deadLetters: new Set(['dlv_4']),
    polled: new Map([['held', new Set(['evt_a', 'evt_b', 'evt_p'])]]),
    ...changed,
  };
};
const healthy = books();
const without = <T>(all: readonly T[], index: number): T[] => all.toSpliced(index, 1);

describe('the accounts of a soak', () => {
  it('add up where all is well', () => {
    expect(account(healthy)).toEqual({
      accepted: 3,
      distinct: 2,
      published: 1,
      events: 3,
      deliveries: 5,
      delivered: 4,
      deadLettered: 1,
      violations: [],
    });
  });

  it.each<[string, Partial<Books>, RegExp]>([
    [
      'a refused webhook',
      { webhooks: healthy.webhooks.with(2, { ...healthy.webhooks[2]!, outcome: 'info', detail: '503' }) },
      /1 webhooks were not taken: 503/,
    ],
    [
      'a refused publish',
      { published: [...healthy.published, { eventId: null, detail: '503', answeredAtMs: 0 }] },
      /1 publishes were not taken: 503/,
    ],
    ['a receipt that leads nowhere', { receipts: without(healthy.receipts, 2) }, /1 accepted webhooks are lost.*rcp_3/],
    [
      'a receipt without an event',
      { receipts: healthy.receipts.with(2, { receiptId: 'rcp_3', eventId: null }) },
      /1 accepted webhooks are lost/,
    ],
    [
      'a repeat that became an event of its own',
      { receipts: healthy.receipts.with(1, { receiptId: 'rcp_2', eventId: 'evt_b' }) },
      /1 webhooks have become more than one event: evt_a and evt_b/,
    ],
    [
      'a published event that is gone',
      { events: without(healthy.events, 2) },
      /1 published events are not there: evt_p/,
    ],
    ['a delivery that was never made', { deliveries: without(healthy.deliveries, 1) }, /1 deliveries that are due/],
    [
      'a delivery that was made twice',
      { deliveries: [...healthy.deliveries, { ...healthy.deliveries[0]!, id: 'dlv_9' }] },
      /1 deliveries that are due do not exist, or twice: evt_a to well/,
    ],
    [
      'a delivery that has not ended',
      { deliveries: healthy.deliveries.with(0, { ...healthy.deliveries[0]!, status: 'retrying' }) },
      /1 deliveries have not ended: evt_a to well: retrying/,
    ],
    [
      'an arrival that was none',
      { arrivals: new Map([['well', healthy.arrivals.get('well')!]]) },
      /1 deliveries are called delivered, and have not arrived: evt_a to refuses/,
    ],
    [
      'a dead delivery without a dead letter',
      { deadLetters: new Set() },
      /1 deliveries are dead without a dead letter: evt_b to refuses/,
    ],
    [
      'a poller that has missed one',
      { polled: new Map([['held', new Set(['evt_a', 'evt_p'])]]) },
      /1 events were not seen to end by the poller held: evt_b/,
    ],
    ['a run of nothing', { webhooks: [] }, /no webhook was accepted/],
  ])('show %s', (_, changed, found) => {
    expect(account(books(changed)).violations.join('\n')).toMatch(found);
  });
});

import fc from 'fast-check';
import {
  deliveryHeaders,
  type EventRecord,
  header,
  maxPayloadBytes,
  parseDelivery,
  problemOfEvent,
} from '#lib/contract';

const payload = Buffer.from('x');
const headers = deliveryHeaders({
  id: 'dlv_1',
  tenant: 'default',
  eventId: 'evt_1',
  eventType: 'push',
  endpointId: 'ep_1',
  generation: 0,
  createdAt: 1_795_247_723_123_456,
  receivedAt: 1_795_247_723_000_000,
  orderingKey: 'né',
  contentType: 'text/plain',
  contentEncoding: null,
  passedHeaders: [],
  trail: [],
  traceparent: '',
});
const parsed = (name: string, text: string) => parseDelivery({ ...headers, [name]: text }, payload);

describe('the record of a delivery', () => {
  test.each([header.tenant, header.deliveryId, header.eventId, header.endpointId])(
    'is malformed where %s is nothing that tables and headers take: a NUL in it once ended the dispatcher, for ever',
    (name) => {
      for (const text of ['a\0b', '\0', ' ', 'a ', 'a\r\nb', 'né', 'a'.repeat(257), 'a'.repeat(1_000_000)])
        expect(parsed(name, text)).toEqual({ malformed: `header ${name} is not an id` });
      expect(parsed(name, 'a'.repeat(256))).not.toHaveProperty('malformed');
    },
  );

  test.each([header.eventType, header.contentType, header.orderingKey, header.traceparent])(
    'is malformed where %s is so long that no record about its sending has room for it',
    (name) => {
      expect(parsed(name, 'a'.repeat(32 * 1024 + 1))).toEqual({ malformed: `header ${name} is too long` });
      expect(parsed(name, 'é\0'.repeat(10_000))).not.toHaveProperty('malformed');
    },
  );

  test('is malformed where its generation is more than an attempt’s record holds', () => {
    expect(parsed(header.generation, '2147483648')).toHaveProperty('malformed');
    expect(parsed(header.generation, '2147483647')).not.toHaveProperty('malformed');
  });
});

const event: EventRecord = {
  id: 'evt_1',
  tenant: 'default',
  source_id: 'src_1',
  event_id: null,
  type: 'push',
  receipt_id: 'rcp_1',
  origin: 't-0-1',
  received_at: 1_795_247_723_123_456,
  dedup_key: Buffer.alloc(16),
  content_type: '',
  content_encoding: null,
  http_headers: {},
  request: null,
  tags: {},
  ordering_key: null,
  payload,
};

describe('an event', () => {
  test('has ids, a time and sizes that all who read it can go on with', () => {
    expect(problemOfEvent(event)).toBeUndefined();
    const odd: Partial<EventRecord>[] = [
      { id: '' },
      { id: 'a\0b' },
      { id: 'x'.repeat(1_000) },
      { tenant: '\n' },
      { received_at: -1 },
      { received_at: 2 ** 60 },
      { type: 'x'.repeat(40_000) },
      { content_type: 'x'.repeat(40_000) },
      { ordering_key: 'x'.repeat(40_000) },
      { payload: Buffer.alloc(maxPayloadBytes + 1) },
    ];
    for (const given of odd)
      expect([given, problemOfEvent({ ...event, ...given })]).toEqual([given, expect.any(String)]);
  });

  test('of any text that a sender may have given is one', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const given = { event_id: text, type: text, ordering_key: text, content_type: text };
        expect(problemOfEvent({ ...event, ...given })).toBeUndefined();
      }),
    );
  });
});

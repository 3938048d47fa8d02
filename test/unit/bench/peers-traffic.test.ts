import { createHmac } from 'node:crypto';
import { createRunLog } from '../../bench/peers/traffic/run-log.ts';
import { createRequests, eventIdIn } from '../../bench/peers/traffic/requests.ts';

const target = {
  host: '127.0.0.1',
  port: 1234,
  path: '/publish',
  headers: { 'idempotency-key': '{id}' },
  before: '{"id":"{id}","data":',
  after: '}',
};

it('a request has the event’s id wherever the system wants it, and says how long it is', () => {
  const text = createRequests(target, ['{"a":"é"}'])('run-7', 7).toString();
  const [head = '', body = ''] = text.split('\r\n\r\n');
  expect(JSON.parse(body)).toEqual({ id: 'run-7', data: { bench_id: 'run-7', a: 'é' } });
  expect(head.split('\r\n')).toEqual([
    'POST /publish HTTP/1.1',
    'host: 127.0.0.1:1234',
    'content-type: application/json',
    'idempotency-key: run-7',
    `content-length: ${Buffer.byteLength(body)}`,
  ]);
});

it('a signature is that of the whole body', () => {
  const signature = { header: 'x-hub-signature-256', secret: 'secret' };
  const text = createRequests({ ...target, before: '', after: '', signature }, ['{"a":1}'])('run-7', 7).toString();
  const [head = '', body = ''] = text.split('\r\n\r\n');
  expect(head).toContain(`x-hub-signature-256: sha256=${createHmac('sha256', 'secret').update(body).digest('hex')}`);
});

it.each([
  ['as it was sent', '{"bench_id":"run-12","a":1}'],
  ['within a wrapping, written anew', '{"data": {"a": 1, "bench_id" : "run-12"}}'],
  ['as JSON within JSON', '{"data":"{\\"bench_id\\":\\"run-12\\"}"}'],
])('an event is known by its id %s', (_, body) => {
  expect(eventIdIn(Buffer.from(body))).toEqual({ run: 'run', number: 12 });
});

it('what has no id is none', () => {
  expect(eventIdIn(Buffer.from('{"a":1}'))).toBeUndefined();
  expect(eventIdIn(Buffer.from('{"bench_id":12}'))).toBeUndefined();
});

it('the first arrival of an event at an endpoint counts, those behind it are repeats, and there is room for any number of events', () => {
  const log = createRunLog(2);
  const last = 40_000;
  log.start();
  for (const number of [0, last]) log.due(number, performance.now());
  log.acknowledged(last);
  log.arrived(0, last);
  log.arrived(1, last);
  log.arrived(1, last);
  log.arrived(2, last);
  log.published(last + 1, 3);

  const { arrivedAt, acknowledgedAt, repeats, strays, published, lateMs, atPublished } = log.end();
  expect({ repeats, strays, published, lateMs }).toEqual({ repeats: 1, strays: 1, published: last + 1, lateMs: 3 });
  expect(atPublished).toMatchObject({ acknowledged: 1, arrived: 2 });
  expect([acknowledgedAt[0], acknowledgedAt[last] === 0]).toEqual([0, false]);
  expect(arrivedAt.map((at) => [at.length, at[last] === 0])).toEqual([
    [last + 1, false],
    [last + 1, false],
  ]);
});

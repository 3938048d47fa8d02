import type { KafkaMessage } from 'kafkajs';
import { ConsumedRecord } from '../../../libs/kafka/consuming/consumed-record.ts';

const from = { topic: 't', partition: 2, signal: new AbortController().signal, onDone: () => undefined };
const message = (parts: Pick<Partial<KafkaMessage>, 'key' | 'value' | 'headers'>): KafkaMessage => ({
  key: null,
  value: null,
  offset: '9',
  timestamp: '0',
  attributes: 0,
  headers: {},
  ...parts,
});

test('a record keeps nothing of the fetch response alive', () => {
  const response = Buffer.alloc(1_000_000, 'x');
  const record = new ConsumedRecord(
    from,
    message({
      key: response.subarray(0, 10),
      value: response.subarray(10, 100),
      headers: { one: response.subarray(100, 110), two: [response.subarray(110, 112), response.subarray(112, 114)] },
    }),
  );
  const buffers = [record.key, record.value, ...Object.values(record.rawHeaders).flat()] as Buffer[];
  for (const buffer of buffers) expect(buffer.buffer).not.toBe(response.buffer);
  expect(buffers.map(({ length }) => length)).toEqual([10, 90, 10, 2, 2]);
  response.fill('y');
  expect(record.value.toString()).toBe('x'.repeat(90));
});

test('headers are text, the last value of a name counting; as they came they are kept beside it', () => {
  const headers = { text: Buffer.from('né'), twice: [Buffer.from('a'), Buffer.from('b')], bytes: Buffer.from([255]) };
  const record = new ConsumedRecord(from, message({ headers }));
  expect(record.headers).toEqual({ text: 'né', twice: 'b', bytes: '\ufffd' });
  expect(record.rawHeaders).toEqual(headers);
});

test('a value or a header of null is empty', () => {
  const record = new ConsumedRecord(from, message({ headers: { none: null as never } }));
  expect([record.key, record.value, record.headers]).toEqual([null, Buffer.alloc(0), { none: '' }]);
});

test('a header may be called as what every object has: kafkajs puts that before its value, which once ended the process', () => {
  for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
    const inherited: unknown = ({} as Record<string, unknown>)[name];
    const once = Object.fromEntries([[name, [inherited, Buffer.from('a')]]]) as never;
    const record = new ConsumedRecord(from, message({ headers: once }));
    expect(Object.entries(record.rawHeaders)).toEqual([[name, Buffer.from('a')]]);
    expect(Object.entries(record.headers)).toEqual([[name, 'a']]);
    const twice = Object.fromEntries([[name, [inherited, Buffer.from('a'), Buffer.from('b')]]]) as never;
    const other = new ConsumedRecord(from, message({ headers: twice }));
    expect(Object.entries(other.rawHeaders)).toEqual([[name, [Buffer.from('a'), Buffer.from('b')]]]);
  }
});

test('the name of a header is decoded once for all records, and never taken for another that is like it', () => {
  const longest = 'n'.repeat(64);
  const names = [
    '',
    'x',
    'é',
    longest,
    `${longest}n`,
    ...Array.from({ length: 2_000 }, (_, n) => `name-${n % 7}-${n}`),
  ];
  for (const round of ['first', 'second'])
    for (const name of names) {
      const headers = { [name]: Buffer.from(round), [`${name}-`]: Buffer.from('other') };
      const record = new ConsumedRecord(from, message({ headers }));
      expect(Object.entries(record.headers)).toEqual([
        [name, round],
        [`${name}-`, 'other'],
      ]);
    }
});

test('one that is done tells so', () => {
  const done: unknown[] = [];
  const record = new ConsumedRecord({ ...from, onDone: (one) => done.push(one) }, message({}));
  record.done();
  expect(done).toEqual([record]);
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AttemptRecord, attemptToAvro, type AvroAttempt, readSchema } from '#lib/contract';
import { type AttemptCodec, type AvroCodec, createAttemptCodec, createAvroCodec } from '#lib/kafka';
import { silentLogger as log, systemClock as clock } from '#lib/runtime';
import { anAttempted, attemptRecords, noFields } from '../contract/attempt-records.ts';

const schema = readSchema('delivery.attempts');
const registry = createServer((request, response) => {
  const answer = request.method === 'POST' ? { id: 7 } : { schema: JSON.stringify(schema), schemaType: 'AVRO' };
  response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
});
let attempts: AttemptCodec;
let avro: AvroCodec<AvroAttempt>;

beforeAll(async () => {
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  const registryUrl = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
  const options = { registryUrl, topic: 'delivery.attempts', schema, clock, log };
  attempts = createAttemptCodec(options);
  avro = createAvroCodec(options);
  await Promise.all([attempts.start(), avro.start()]);
});
afterAll(() => new Promise((resolve) => registry.close(resolve)));

test.each(attemptRecords.map((record) => [record.kind, record] as const))(
  'a record %s comes back as it was, and its bytes are those of one Avro record with a null for all else',
  async (_kind, record) => {
    const bytes = attempts.encode(record);
    expect(bytes).toEqual(avro.encode({ ...noFields, ...record }));
    expect(await attempts.decode(bytes)).toEqual(record);
  },
);

test('bytes that fit the schema, but lack what their kind must have, are malformed; others are no record at all', async () => {
  const lacking = { ...attemptToAvro(attemptRecords[2]!), outcome: null };
  expect(await attempts.decode(avro.encode(lacking))).toEqual({ malformed: 'attempted without an outcome' });
  await expect(attempts.decode(Buffer.from('no Avro'))).rejects.toMatchObject({ code: 'data_invalid' });
});

// Below and above what the library, and then we, write at once.
test.each([0, 500, 2_000, 64_000, 66_000, 1_000_000])(
  'a value of %d bytes more comes back as it was, whatever is encoded after it',
  async (more) => {
    const large: AttemptRecord = { ...anAttempted, detail: 'é'.repeat(more / 2) };
    const bytes = attempts.encode(large);
    expect(bytes.subarray(0, 5)).toEqual(Buffer.from([0, 0, 0, 0, 7]));
    expect(bytes.length).toBe(attempts.encode({ ...anAttempted, detail: '' }).length + more + sizeOfLength(more) - 1);
    expect(await attempts.decode(bytes)).toEqual(large);
  },
);

/** Zigzag, seven bits a byte. */
const sizeOfLength = (length: number): number => Math.max(1, Math.ceil(Math.log2(2 * length + 1) / 7));

test('what can’t be encoded says so, and leaves nothing behind', async () => {
  const bytes = attempts.encode(anAttempted);
  expect(() => attempts.encode({ ...anAttempted, http_status: 1.5 })).toThrow(/no value of delivery.attempts-value/);
  expect(attempts.encode(anAttempted)).toEqual(bytes);
});

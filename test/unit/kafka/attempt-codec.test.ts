import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock as clock } from '#lib/clock';
import { attemptToAvro, type AvroAttempt, readSchema } from '#lib/contract';
import { type AttemptCodec, type AvroCodec, createAttemptCodec, createAvroCodec } from '#lib/kafka';
import { silentLogger as log } from '#lib/log';
import { attemptRecords, noFields } from '../contract/attempt-records.ts';

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

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { readRecordBatches } from '../../../libs/kafka/codec/read-record-batches.ts';
import { encodeHeaders, openProduceLoop } from '../../bench/receiving/produce-loop.ts';
import { waitUntil } from '../../support/wait-until.ts';

const topic = 'bench.ceiling';

/** A broker that records its requests and is answered for by hand. */
async function startBroker() {
  const requests: Buffer[] = [];
  let sender: Socket | undefined;
  let rest: Buffer = Buffer.alloc(0);
  const server = createServer((socket) => {
    sender = socket
      .on('error', () => undefined)
      .on('data', (chunk) => {
        rest = Buffer.concat([rest, chunk]);
        for (let end = endOf(rest); end <= rest.length; end = endOf(rest)) {
          requests.push(rest.subarray(0, end));
          rest = rest.subarray(end);
        }
      });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    requests,
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Answers Produce, version 7, for the one partition. */
    answer(errorCode: number): void {
      const answer = Buffer.alloc(4 + 4 + 4 + 2 + topic.length + 4 + 4 + 2 + 8 + 8 + 8 + 4);
      answer.writeInt32BE(answer.length - 4, 0);
      answer.writeInt32BE(1, 8);
      answer.writeInt16BE(topic.length, 12);
      answer.write(topic, 14);
      answer.writeInt32BE(1, 14 + topic.length);
      answer.writeInt16BE(errorCode, 22 + topic.length);
      sender?.write(answer.subarray(0, 10));
      setImmediate(() => sender?.write(answer.subarray(10)));
    },
    close(): void {
      sender?.destroy();
      server.close();
    },
  };
}
const endOf = (bytes: Buffer): number => (bytes.length < 4 ? Infinity : 4 + bytes.readInt32BE(0));

test('the ceiling’s produce loop sends what has come in one request at a time, and tells each what became of it', async () => {
  const broker = await startBroker();
  try {
    const { send } = await openProduceLoop({
      broker: broker.address,
      topic,
      headers: encodeHeaders({ 'hookline-a': 'b', 'hookline-ü': '' }),
    });
    const told: [string, boolean][] = [];
    const sendText = (text: string): void => send(Buffer.from(text), (isKept) => told.push([text, isKept]));
    sendText('first');
    sendText('x'.repeat(20_000));
    await waitUntil('a request has come', () => broker.requests.length === 1, { everyMs: 2 });
    sendText('third');
    broker.answer(0);
    await waitUntil('the next has come', () => broker.requests.length === 2, { everyMs: 2 });
    expect(told.map(([, isKept]) => isKept)).toEqual([true, true]);
    broker.answer(7);
    await waitUntil('all are told', () => told.length === 3, { everyMs: 2 });
    expect(told[2]).toEqual(['third', false]);

    const batchAt = 4 + 8 + 2 + 2 + 2 + 4 + 4 + 2 + topic.length + 4 + 4 + 4;
    const [records = [], more = []] = broker.requests.map((request) => readRecordBatches(request.subarray(batchAt)));
    expect([...records, ...more].map(({ value }) => value?.length)).toEqual([5, 20_000, 5]);
  } finally {
    broker.close();
  }
});

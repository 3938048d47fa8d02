import { type AddressInfo, createServer, type Server } from 'node:net';
import { countAppended, fetchMetadata } from '#deploy/local/servers/kafka-protocol.ts';

const int8 = (value: number) => Buffer.from([value]);
const int16 = (value: number) => Buffer.from([value >> 8, value & 0xff]);
const int32 = (value: number) => Buffer.from([value >> 24, value >> 16, value >> 8, value].map((byte) => byte & 0xff));
const int64 = (value: bigint) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return bytes;
};
const string = (value: string | null) =>
  value === null ? int16(-1) : Buffer.concat([int16(value.length), Buffer.from(value)]);
const array = (items: readonly Buffer[]) => Buffer.concat([int32(items.length), ...items]);

const broker = (id: number, rack: string | null) =>
  Buffer.concat([int32(id), string('127.0.0.1'), int32(9092), string(rack)]);
const partition = (id: number, leader: number) =>
  Buffer.concat([int16(0), int32(id), int32(leader), array([int32(1), int32(2)]), array([int32(1)])]);
const metadata = Buffer.concat([
  array([broker(2, null), broker(1, 'a')]),
  int32(1),
  array([Buffer.concat([int16(0), string('events'), int8(0), array([partition(0, 1), partition(1, 2)])])]),
]);
const offset = (id: number, value: bigint) => Buffer.concat([int32(id), int16(0), int64(-1n), int64(value)]);
const offsets = array([Buffer.concat([string('events'), array([offset(0, 7n), offset(1, 5_000_000_000n)])])]);

/** Answers Metadata and ListOffsets, one byte at a time: an answer may come in any pieces. */
function startFakeBroker(): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('data', (request) => {
      const body = request.readInt16BE(4) === 3 ? metadata : offsets;
      const answer = Buffer.concat([int32(4 + body.length), int32(0), body]);
      for (const byte of answer) socket.write(Buffer.from([byte]));
    });
    socket.on('error', () => undefined);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

describe("Kafka's protocol, as far as the stack speaks it", () => {
  let server: Server;
  let port: number;

  beforeAll(async () => {
    server = await startFakeBroker();
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it('reads the brokers that are up and the partitions of a topic', async () => {
    await expect(fetchMetadata(port, 'events')).resolves.toEqual({
      brokerIds: [1, 2],
      partitions: [
        { id: 0, leader: 1 },
        { id: 1, leader: 2 },
      ],
    });
  });

  it('adds up how far the partitions have grown', async () => {
    await expect(countAppended(port, 'events')).resolves.toBe(5_000_000_007n);
  });

  it('a port that nobody listens on is an error', async () => {
    const gone = await startFakeBroker();
    const address = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    await expect(fetchMetadata(address.port)).rejects.toThrow('ECONNREFUSED');
  });

  it('a connection that closes without an answer is an error', async () => {
    const rude = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => rude.listen(0, '127.0.0.1', resolve));
    try {
      await expect(fetchMetadata((rude.address() as AddressInfo).port)).rejects.toThrow(
        /closed the connection|ECONNRESET/,
      );
    } finally {
      await new Promise((resolve) => rude.close(resolve));
    }
  });
});

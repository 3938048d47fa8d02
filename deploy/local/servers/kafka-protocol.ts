import { connect } from 'node:net';

/**
 * The part of Kafka's protocol that tells whether a broker works and how far a topic has grown: one request per connection, in the oldest
 * versions that brokers still support. For everything else there is #lib/kafka.
 */
const listOffsets = { key: 2, version: 1 };
const metadata = { key: 3, version: 1 };
const latest = -1n;
const timeoutMs = 2_000;

export interface TopicMetadata {
  brokerIds: number[];
  /** The partitions of the topic; empty if it does not exist. */
  partitions: { id: number; leader: number }[];
}

/** Metadata of one broker. Only a broker that has joined its cluster answers (its port is open earlier). */
export async function fetchMetadata(port: number, topic?: string): Promise<TopicMetadata> {
  const answer = await ask(port, metadata, [...(topic === undefined ? [int32(0)] : [int32(1), string(topic)])]);
  const brokerIds = answer.array(() => {
    const id = answer.int32();
    answer.string();
    answer.int32();
    answer.string();
    return id;
  });
  answer.int32();
  const topics = answer.array(() => {
    answer.int16();
    answer.string();
    answer.int8();
    return answer.array(() => {
      answer.int16();
      const id = answer.int32();
      const leader = answer.int32();
      answer.array(() => answer.int32());
      answer.array(() => answer.int32());
      return { id, leader };
    });
  });
  return { brokerIds: brokerIds.sort((a, b) => a - b), partitions: topics.flat() };
}

/** How many records were ever appended to the partitions of a topic that this broker leads. */
export async function countAppended(port: number, topic: string): Promise<bigint> {
  const { partitions } = await fetchMetadata(port, topic);
  const wanted = partitions.map(({ id }) => Buffer.concat([int32(id), int64(latest)]));
  const answer = await ask(port, listOffsets, [int32(-1), int32(1), string(topic), int32(wanted.length), ...wanted]);
  const offsets = answer.array(() => {
    answer.string();
    return answer.array(() => {
      answer.int32();
      answer.int16();
      answer.int64();
      return answer.int64();
    });
  });
  return offsets.flat().reduce((sum, offset) => sum + (offset > 0n ? offset : 0n), 0n);
}

/** Size, key, version, correlation id, client id (null), body; answered with size, correlation id, body. */
function ask(port: number, api: { key: number; version: number }, body: readonly Buffer[]): Promise<Reader> {
  const header = Buffer.alloc(10);
  header.writeInt16BE(api.key, 0);
  header.writeInt16BE(api.version, 2);
  header.writeInt16BE(-1, 8);
  const request = Buffer.concat([header, ...body]);
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () =>
      socket.write(Buffer.concat([int32(request.length), request])),
    );
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`no answer from 127.0.0.1:${port}`)));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`127.0.0.1:${port} closed the connection`)));
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 4 || received.length < 4 + received.readInt32BE(0)) return;
      resolve(createReader(received.subarray(8)));
      socket.destroy();
    });
  });
}

type Reader = ReturnType<typeof createReader>;

function createReader(bytes: Buffer) {
  let at = 0;
  const skip = (length: number): number => (at += length) - length;
  const int16 = (): number => bytes.readInt16BE(skip(2));
  const int32 = (): number => bytes.readInt32BE(skip(4));
  return {
    int8: (): number => bytes.readInt8(skip(1)),
    int16,
    int32,
    int64: (): bigint => bytes.readBigInt64BE(skip(8)),
    /** Null (length -1) reads as empty. */
    string: (): string => {
      const length = Math.max(int16(), 0);
      const start = skip(length);
      return bytes.toString('utf8', start, start + length);
    },
    array: <T>(item: () => T): T[] => Array.from({ length: Math.max(int32(), 0) }, item),
  };
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}

function string(value: string): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

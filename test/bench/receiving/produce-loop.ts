/**
 * The fastest way to put webhooks on a topic that can be had in Node: one socket, one partition, one request at a time, which takes all that has come since
 * the last. The record's headers are bytes that are made once, and nothing is decided, retried or looked up.
 *
 * By hand, because clients over librdkafka (@confluentinc/kafka-javascript, node-rdkafka) get or build their binary at install from outside of
 * the registry, and hand each record from the loop to another thread and back.
 */
import { crc32c } from '@node-rs/crc32';
import { connect, type Socket } from 'node:net';

export interface ProduceLoop {
  /** Calls `onDone` with whether all replicas have it. */
  send(value: Buffer, onDone: (isKept: boolean) => void): void;
}

interface Options {
  broker: string;
  topic: string;
  /** The headers of each record, as they stand in a batch: their number, then each. */
  headers: Buffer;
}

interface Waiting {
  value: Buffer;
  onDone(isKept: boolean): void;
}

const produceKey = 0;
const produceVersion = 7;
const timeoutMs = 30_000;
const crcAt = 17;
const attributesAt = 21;
const recordsAt = 61;
const mostVarintBytes = 5;

export async function openProduceLoop({ broker, topic, headers }: Options): Promise<ProduceLoop> {
  const socket = await open(broker);
  const requestHead = headOf(topic);
  /** Follows the size, the correlation id, the number of topics, the topic, the number of partitions and the partition. */
  const errorAt = 4 + 4 + 4 + 2 + Buffer.byteLength(topic) + 4 + 4;
  let waiting: Waiting[] = [];
  let inFlight: Waiting[] = [];
  let isDue = false;

  function flush(): void {
    isDue = false;
    if (inFlight.length > 0 || waiting.length === 0) return;
    inFlight = waiting;
    waiting = [];
    const batch = encodeBatch(inFlight, headers);
    const head = Buffer.from(requestHead);
    head.writeInt32BE(head.length - 4 + batch.length, 0);
    head.writeInt32BE(batch.length, head.length - 4);
    socket.cork();
    socket.write(head);
    socket.write(batch);
    socket.uncork();
  }

  let answer: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    answer = answer.length === 0 ? chunk : Buffer.concat([answer, chunk]);
    if (answer.length < 4 || answer.length < 4 + answer.readInt32BE(0)) return;
    const isKept = answer.readInt16BE(errorAt) === 0;
    answer = Buffer.alloc(0);
    const ended = inFlight;
    inFlight = [];
    // Records that came meanwhile leave first.
    flush();
    for (const { onDone } of ended) onDone(isKept);
  });

  return {
    send(value, onDone) {
      waiting.push({ value, onDone });
      if (isDue || inFlight.length > 0) return;
      isDue = true;
      // With all that comes in this turn of the loop.
      setImmediate(flush);
    },
  };
}

async function open(broker: string): Promise<Socket> {
  const [host = '', port] = broker.split(':');
  const socket = connect({ host, port: Number(port), noDelay: true });
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return socket;
}

/** Up to the batch, for acks=all: https://kafka.apache.org/protocol#The_Messages_Produce. The two sizes are left open. */
function headOf(topic: string): Buffer {
  const name = Buffer.from(topic);
  const head = Buffer.alloc(4 + 2 + 2 + 4 + 2 + 2 + 2 + 4 + 4 + 2 + name.length + 4 + 4 + 4);
  let at = head.writeInt16BE(produceKey, 4);
  at = head.writeInt16BE(produceVersion, at);
  at = head.writeInt32BE(0, at); // one request at a time needs no other
  at = head.writeInt16BE(-1, at); // no name of the client
  at = head.writeInt16BE(-1, at); // no transaction
  at = head.writeInt16BE(-1, at); // acks of all
  at = head.writeInt32BE(timeoutMs, at);
  at = head.writeInt32BE(1, at);
  at = head.writeInt16BE(name.length, at);
  at += name.copy(head, at);
  at = head.writeInt32BE(1, at);
  head.writeInt32BE(0, at); // the partition
  return head;
}

function encodeBatch(records: readonly Waiting[], headers: Buffer): Buffer {
  const most = records.reduce((sum, { value }) => sum + 4 * mostVarintBytes + value.length + headers.length, recordsAt);
  const out = Buffer.allocUnsafe(most);
  const timestamp = BigInt(Date.now());
  let at = recordsAt;
  for (const [index, { value }] of records.entries()) {
    // Attributes, time and an absent key are a byte each.
    const bytes = 3 + varintBytes(index) + varintBytes(value.length) + value.length + headers.length;
    at = writeVarint(out, bytes, at);
    out[at++] = 0;
    out[at++] = 0;
    at = writeVarint(out, index, at);
    at = writeVarint(out, -1, at);
    at = writeVarint(out, value.length, at);
    at += value.copy(out, at);
    at += headers.copy(out, at);
  }
  const batch = out.subarray(0, at);
  let head = batch.writeBigInt64BE(0n, 0);
  head = batch.writeInt32BE(at - 12, head);
  head = batch.writeInt32BE(0, head);
  batch.writeInt8(2, head);
  head = batch.writeInt16BE(0, attributesAt);
  head = batch.writeInt32BE(records.length - 1, head);
  head = batch.writeBigInt64BE(timestamp, head);
  head = batch.writeBigInt64BE(timestamp, head);
  head = batch.writeBigInt64BE(-1n, head);
  head = batch.writeInt16BE(0, head);
  head = batch.writeInt32BE(0, head);
  batch.writeInt32BE(records.length, head);
  batch.writeUInt32BE(crc32c(batch.subarray(attributesAt)), crcAt);
  return batch;
}

/** Headers as `openProduceLoop` takes them. */
export function encodeHeaders(headers: Readonly<Record<string, string>>): Buffer {
  const entries = Object.entries(headers);
  const out = Buffer.alloc(
    mostVarintBytes + entries.flat().reduce((sum, text) => sum + mostVarintBytes + 3 * text.length, 0),
  );
  let at = writeVarint(out, entries.length, 0);
  for (const text of entries.flat()) {
    at = writeVarint(out, Buffer.byteLength(text), at);
    at += out.write(text, at);
  }
  return out.subarray(0, at);
}

const zigzag = (value: number): number => ((value << 1) ^ (value >> 31)) >>> 0;

function writeVarint(out: Buffer, value: number, start: number): number {
  let [rest, at] = [zigzag(value), start];
  for (; rest > 0x7f; rest >>>= 7) out[at++] = (rest & 0x7f) | 0x80;
  out[at++] = rest;
  return at;
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = zigzag(value); rest > 0x7f; rest >>>= 7) bytes += 1;
  return bytes;
}

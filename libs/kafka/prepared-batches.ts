/**
 * Lets kafkajs send a batch that is encoded already. Its producer gets a single message whose value is the whole batch; where it would
 * encode that message, the bytes go out as they are. Everything else of the request, its answer, connections and time-outs stays
 * kafkajs's, and so does every request whose messages are not of this kind.
 *
 * It reaches into kafkajs 2.2.4, which is why that version is pinned exactly.
 */
import type { Message } from 'kafkajs';
import produceRequests, { type ProduceArguments } from 'kafkajs/src/protocol/requests/produce/index.js';

const batch = Symbol('a batch of records');

/** From this version of the request on, a partition's records are a batch of format 2. */
const firstVersion = 3;

interface PreparedMessage extends Message {
  [batch]: Buffer;
}

export function preparedMessage(partition: number, encoded: Buffer): Message {
  const message: PreparedMessage = { partition, key: null, value: null, [batch]: encoded };
  return message;
}

let accepted = false;

export function acceptPreparedBatches(): void {
  if (accepted) return;
  accepted = true;
  const { protocol } = produceRequests;
  produceRequests.protocol = (choice) => (given) => {
    const exchange = protocol(choice)(given);
    const prepared = onlyBatchOf(given);
    if (prepared === undefined) return exchange;
    if (choice.version < firstVersion)
      throw new Error(`a broker that knows produce requests of version ${choice.version} alone`);
    const body = bodyOf(given, prepared);
    const encode = () => Promise.resolve({ buf: body, buffer: body });
    return { ...exchange, request: { ...exchange.request, encode } };
  };
}

interface Prepared {
  topic: string;
  partition: number;
  encoded: Buffer;
}

function onlyBatchOf({ topicData }: ProduceArguments): Prepared | undefined {
  const all = topicData.flatMap(({ topic, partitions }) =>
    partitions.flatMap(({ partition, messages }) =>
      messages.map((message) => ({ topic, partition, encoded: (message as Partial<PreparedMessage>)[batch] })),
    ),
  );
  if (all.every(({ encoded }) => encoded === undefined)) return undefined;
  const [one, ...others] = all;
  if (one?.encoded === undefined || others.length > 0) throw new Error('a prepared batch goes in a request of its own');
  return { ...one, encoded: one.encoded };
}

/** Produce request, versions 3 to 8: https://kafka.apache.org/protocol#The_Messages_Produce */
function bodyOf({ acks, timeout }: ProduceArguments, { topic, partition, encoded }: Prepared): Buffer {
  const name = Buffer.from(topic);
  const head = Buffer.allocUnsafe(26 + name.length);
  let at = head.writeInt16BE(-1, 0); // no transaction
  at = head.writeInt16BE(acks, at);
  at = head.writeInt32BE(timeout, at);
  at = head.writeInt32BE(1, at); // topics
  at = head.writeInt16BE(name.length, at);
  at += name.copy(head, at);
  at = head.writeInt32BE(1, at); // partitions
  at = head.writeInt32BE(partition, at);
  head.writeInt32BE(encoded.length, at);
  return Buffer.concat([head, encoded]);
}

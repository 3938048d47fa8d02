import type { SchemaRegistry } from '@kafkajs/confluent-schema-registry';
import { type AttemptRecord, attemptToAvro, type AvroAttempt, type EventRecord, parseAttempt } from '#lib/contract';
import { AppError, type Clock, createPart, isAppError, type Logger, type Part } from '#lib/runtime';
import { within } from '../time-limit.ts';
import { areLengthsSound } from './avro-lengths.ts';
import { registryAddress } from './registry-address.ts';
import { type AvroSchema, hasSchema, lookUpSchemaId, untilAnswered, valueSubject } from './registry-client.ts';

export interface AvroCodecOptions {
  registryUrl: string;
  /** The topic; its values' subject is `<topic>-value`. */
  topic: string;
  schema: AvroSchema;
  clock: Clock;
  log: Logger;
  /** How long `start` tries, while the registry is away or does not know the schema yet. Default 30,000. */
  startTimeoutMs?: number;
}

/** `start` looks up the schema's id (it registers nothing); afterwards the registry may be away. */
export interface AvroCodec<Written, Read = Written> extends Part {
  /**
   * Confluent wire format: 0, the schema's id in four bytes, Avro.
   * @throws AppError data_invalid where the value does not fit the schema
   */
  encode(value: Written): Buffer;
  /**
   * Decodes a value of any schema version into this codec's version. Times are plain numbers, bytes are Buffers.
   * @throws AppError data_invalid for invalid bytes; registry_unavailable for an unknown schema id while the registry is away
   */
  decode(bytes: Buffer): Promise<Read>;
}

/** The result of `getSchema` for Avro; the registry client's own type can't be resolved against another. */
type AvroType = Parameters<
  Extract<Awaited<ReturnType<SchemaRegistry['getSchema']>>, { createResolver: unknown }>['createResolver']
>[0];
type Resolver = ReturnType<AvroType['createResolver']>;

const headerBytes = 5;
const requestTimeoutMs = 5_000;

export const createEventCodec = (options: AvroCodecOptions): AvroCodec<EventRecord> => createAvroCodec(options);

/** `malformed`: a record that fits the schema, but lacks what its kind must have. */
export type AttemptCodec = AvroCodec<AttemptRecord, AttemptRecord | { malformed: string }>;

export function createAttemptCodec(options: AvroCodecOptions): AttemptCodec {
  const avro = createAvroCodec<AvroAttempt>(options);
  return {
    ...avro,
    encode: (record) => avro.encode(attemptToAvro(record)),
    decode: async (bytes) => parseAttempt(await avro.decode(bytes)),
  };
}

export function createAvroCodec<T>(options: AvroCodecOptions): AvroCodec<T> {
  const { registryUrl, clock } = options;
  const subject = valueSubject(options.topic);
  const { url: host, credentials } = registryAddress(registryUrl);
  let registry: Promise<SchemaRegistry> | undefined;
  /** How values of other versions become ours, by the id of the writer's schema; never forgotten. */
  const writers = new Map<number, { type: AvroType; resolver: Resolver }>();
  let own: { type: AvroType; header: Buffer } | undefined;

  async function start(): Promise<void> {
    const deadlineMs = clock.monotonicMs() + (options.startTimeoutMs ?? 30_000);
    own = await untilAnswered(options, deadlineMs, async () => {
      const id = await lookUpSchemaId(registryUrl, { subject, schema: options.schema });
      // It may be registered a moment after we start, so for now this is a registry that is not ready.
      if (id === undefined) throw new AppError('registry_unavailable', `${subject} does not have our schema`);
      const header = Buffer.alloc(headerBytes);
      header.writeInt32BE(id, 1);
      return { type: await typeOf(id), header };
    });
  }

  /** It takes 20 MiB, which the services without Avro do without. */
  async function openRegistry(): Promise<SchemaRegistry> {
    const { SchemaRegistry: Registry } = await import('@kafkajs/confluent-schema-registry');
    return new Registry({ host, ...(credentials && { auth: credentials }), retry: { retries: 0 } });
  }

  async function askFor(id: number): ReturnType<SchemaRegistry['getSchema']> {
    registry ??= openRegistry();
    return within(clock, requestTimeoutMs, (await registry).getSchema(id), () => {
      throw new AppError('registry_unavailable', `no schema ${id} within ${requestTimeoutMs} ms`);
    });
  }

  async function typeOf(id: number): Promise<AvroType> {
    const what = `schema ${id} of ${subject}`;
    const type = await askFor(id).catch(async (error: unknown) => {
      // The writer's schema that these bytes name does not exist.
      if (!(await hasSchema(registryUrl, id))) throw new AppError('data_invalid', what, { cause: error });
      // The registry was away, or its answer can't be read.
      return askFor(id).catch(async (again: unknown) => {
        if (isAppError(again)) throw again;
        await hasSchema(registryUrl, id);
        throw new AppError('data_invalid', `${what} can't be read`, { cause: again });
      });
    });
    if (!('createResolver' in type)) throw new AppError('data_invalid', `schema ${id} of ${subject} is not Avro`);
    return type as unknown as AvroType;
  }

  function started(): { type: AvroType; header: Buffer } {
    if (own === undefined) throw new AppError('bug', `the codec of ${subject} is used before its start`);
    return own;
  }

  async function writerOf(id: number): Promise<{ type: AvroType; resolver: Resolver }> {
    const known = writers.get(id);
    if (known !== undefined) return known;
    const type = await typeOf(id);
    const writer = { type, resolver: started().type.createResolver(type) };
    writers.set(id, writer);
    return writer;
  }

  return {
    ...createPart(`codec of ${options.topic}`, start, async () => undefined),
    encode(value) {
      const { type, header } = started();
      try {
        return encodeBehind(header, type, value);
      } catch (error) {
        throw new AppError('data_invalid', `no value of ${subject}: ${(error as Error).message}`, { cause: error });
      }
    },
    async decode(bytes) {
      const { type, header } = started();
      if (bytes.length < headerBytes || bytes[0] !== 0) {
        throw new AppError('data_invalid', `a value of ${subject} that is not in the wire format`);
      }
      const id = bytes.readInt32BE(1);
      try {
        const writer = id === header.readInt32BE(1) ? { type, resolver: undefined } : await writerOf(id);
        const avro = bytes.subarray(headerBytes);
        if (!areLengthsSound(writer.type, avro)) throw new Error('its lengths lead beyond its end');
        return type.fromBuffer(avro, writer.resolver) as T;
      } catch (error) {
        if (isAppError(error)) throw error;
        throw new AppError('data_invalid', `a value of ${subject} that is not of schema ${id}`, { cause: error });
      }
    },
  };
}

/** Most values fit; a larger one is written twice. */
const scratch = Buffer.allocUnsafeSlow(64 * 1024);

/** The library's own `toBuffer` writes twice what is above a kilobyte, and its result would be copied once more, behind the header. */
function encodeBehind(header: Buffer, type: AvroType, value: unknown): Buffer {
  // Negative: so many bytes are missing.
  const end = type.encode(value, scratch, headerBytes);
  const encoded = Buffer.allocUnsafe(end < 0 ? scratch.length - end : end);
  if (end < 0) type.encode(value, encoded, headerBytes);
  else scratch.copy(encoded, 0, 0, end);
  header.copy(encoded);
  return encoded;
}

import { SchemaRegistry } from '@kafkajs/confluent-schema-registry';
import type { Clock } from '#lib/clock';
import type { AttemptRecord, EventRecord } from '#lib/contract';
import { AppError, isAppError } from '#lib/errors';
import { createPart, type Part } from '#lib/lifecycle';
import type { Logger } from '#lib/log';
import { type AvroSchema, lookUpSchemaId, untilAnswered, valueSubject } from './registry-client.ts';
import { within } from './time-limit.ts';

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

/** `start` looks up the schema's id (it registers nothing); from then on the registry may be away. */
export interface AvroCodec<T> extends Part {
  /**
   * Confluent wire format: 0, the schema's id in four bytes, Avro.
   * @throws AppError data_invalid where the value does not fit the schema
   */
  encode(value: T): Buffer;
  /**
   * A value written with any version of the schema, as this codec's version has it. Times are plain numbers, bytes are Buffers.
   * @throws AppError data_invalid where the bytes are not that; registry_unavailable for a schema id not met before, with the
   *   registry away
   */
  decode(bytes: Buffer): Promise<T>;
}

/** What `getSchema` gives for Avro; the registry client's own type of it can't be resolved against another. */
type AvroType = Parameters<
  Extract<Awaited<ReturnType<SchemaRegistry['getSchema']>>, { createResolver: unknown }>['createResolver']
>[0];
type Resolver = ReturnType<AvroType['createResolver']>;

const headerBytes = 5;
const requestTimeoutMs = 5_000;

export const createEventCodec = (options: AvroCodecOptions): AvroCodec<EventRecord> => createAvroCodec(options);
export const createAttemptCodec = (options: AvroCodecOptions): AvroCodec<AttemptRecord> => createAvroCodec(options);

export function createAvroCodec<T>(options: AvroCodecOptions): AvroCodec<T> {
  const { registryUrl, clock } = options;
  const subject = valueSubject(options.topic);
  const registry = new SchemaRegistry({ host: registryUrl, retry: { retries: 0 } });
  /** How values of other versions become ours, by the id of the writer's schema; never forgotten. */
  const resolvers = new Map<number, Resolver>();
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

  async function typeOf(id: number): Promise<AvroType> {
    const type = await within(clock, requestTimeoutMs, registry.getSchema(id), () => {
      throw new Error(`no answer within ${requestTimeoutMs} ms`);
    }).catch((error: unknown) => {
      // 404: what these bytes claim to be written with does not exist.
      const unknown = (error as { status?: unknown }).status === 404;
      throw new AppError(unknown ? 'data_invalid' : 'registry_unavailable', `schema ${id} of ${subject}`, {
        cause: error,
      });
    });
    if (!('createResolver' in type)) throw new AppError('data_invalid', `schema ${id} of ${subject} is not Avro`);
    return type as unknown as AvroType;
  }

  function started(): { type: AvroType; header: Buffer } {
    if (own === undefined) throw new AppError('bug', `the codec of ${subject} is used before its start`);
    return own;
  }

  async function resolverFrom(id: number): Promise<Resolver> {
    const known = resolvers.get(id);
    if (known !== undefined) return known;
    const resolver = started().type.createResolver(await typeOf(id));
    resolvers.set(id, resolver);
    return resolver;
  }

  return {
    ...createPart(`codec of ${options.topic}`, start, async () => undefined),
    encode(value) {
      const { type, header } = started();
      try {
        return Buffer.concat([header, type.toBuffer(value)]);
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
        const resolver = id === header.readInt32BE(1) ? undefined : await resolverFrom(id);
        return type.fromBuffer(bytes.subarray(headerBytes), resolver) as T;
      } catch (error) {
        if (isAppError(error)) throw error;
        throw new AppError('data_invalid', `a value of ${subject} that is not of schema ${id}`, { cause: error });
      }
    },
  };
}

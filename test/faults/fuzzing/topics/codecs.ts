import { type AvroAttempt, type EventRecord, readSchema, topicsOf } from '#lib/contract';
import { type AvroCodec, createAvroCodec, createEventCodec } from '#lib/kafka';
import { silentLogger, systemClock } from '#lib/runtime';
import type { Stack } from '../../../support/stack.ts';

/** By the topic whose values they read and write: an attempt also as no service writes it. */
export interface Codecs {
  events: AvroCodec<EventRecord>;
  'delivery.attempts': AvroCodec<AvroAttempt>;
}

export function codecsOf({ schemaRegistryUrl: registryUrl, topicPrefix }: Stack): Codecs {
  const topics = topicsOf(topicPrefix);
  const optionsOf = (topic: keyof Codecs) => ({
    clock: systemClock,
    log: silentLogger,
    registryUrl,
    topic: topics[topic],
    schema: readSchema(topic),
  });
  return {
    events: createEventCodec(optionsOf('events')),
    'delivery.attempts': createAvroCodec<AvroAttempt>(optionsOf('delivery.attempts')),
  };
}

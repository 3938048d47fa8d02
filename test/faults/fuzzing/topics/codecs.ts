import { systemClock } from '#lib/clock';
import { type AttemptRecord, type EventRecord, readSchema, topicsOf } from '#lib/contract';
import { type AvroCodec, createAttemptCodec, createEventCodec } from '#lib/kafka';
import { silentLogger } from '#lib/log';
import type { Stack } from '../../../support/stack.ts';

/** By the topic whose values they read and write, as the services do. */
export interface Codecs {
  events: AvroCodec<EventRecord>;
  'delivery.attempts': AvroCodec<AttemptRecord>;
}

export function codecsOf({ schemaRegistryUrl: registryUrl, topicPrefix }: Stack): Codecs {
  const topics = topicsOf(topicPrefix);
  const optionsOf = (topic: keyof Codecs) => ({
    ...{ clock: systemClock, log: silentLogger, registryUrl, topic: topics[topic], schema: readSchema(topic) },
  });
  return {
    events: createEventCodec(optionsOf('events')),
    'delivery.attempts': createAttemptCodec(optionsOf('delivery.attempts')),
  };
}

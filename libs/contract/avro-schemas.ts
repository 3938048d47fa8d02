import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The topics whose values are Avro; each has a file `schemas/<topic>.avsc`. */
export const avroTopics = ['events', 'delivery.attempts'] as const;
export type AvroTopic = (typeof avroTopics)[number];

/** The schema of a topic's values, as its file has it. */
export function readSchema(topic: AvroTopic): Readonly<Record<string, unknown>> {
  const file = join(import.meta.dirname, 'schemas', `${topic}.avsc`);
  return JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>;
}

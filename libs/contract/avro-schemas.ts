import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AvroTopic } from './topics.ts';

/** The schema of a topic's values, as its file has it. */
export function readSchema(topic: AvroTopic): Readonly<Record<string, unknown>> {
  const file = join(import.meta.dirname, 'schemas', `${topic}.avsc`);
  return JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>;
}

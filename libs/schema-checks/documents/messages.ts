/** Messages between a service and its thread that reads documents and schemas. */
import type { JobAnswer } from '../ended-thread.ts';
import type { Draft, Prepared, SchemaFacts } from './prepare-schema.ts';
import type { ReadRequest } from './read-request.ts';
import type { FieldError } from './schema-errors.ts';

export type DocumentJob =
  | { kind: 'read'; bytes: Uint8Array; members: readonly string[] }
  | { kind: 'read_document'; bytes: Uint8Array; member: string }
  | { kind: 'prepare'; draft: Draft }
  | { kind: 'describe'; schema: string }
  /** Which fields of the one the other lacks. */
  | { kind: 'compare'; one: string; other: string };

export type DocumentResult =
  | ReadRequest
  | { kind: 'prepared'; prepared: Prepared | { errors: FieldError[] } }
  | { kind: 'described'; facts: SchemaFacts }
  | { kind: 'lacked'; fields: string[] }
  /** It has more levels than the stack. */
  | { kind: 'too_deep' };

export type DocumentAnswer = JobAnswer & { result: DocumentResult };

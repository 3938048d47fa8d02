import type { ProblemCode } from '#lib/problem';
import type { Schema } from './schema.ts';

/** What the document says of a route that the route itself does not: its schemas tell what may be sent. */
export interface Operation {
  /** operationId: what generators of clients name it by. */
  id: string;
  summary: string;
  description?: string;
  /** Of query parameters that need more than their name. */
  parameters?: Readonly<Record<string, string>>;
  /** By status; errors apart. */
  answers: Readonly<Record<number, Answer>>;
  /** Beside those that any request like it may get: see errors-of.ts. */
  errors?: readonly ProblemCode[];
  /** It changes one resource, under a condition if the client sets one. */
  conditional?: boolean;
  /** A merge patch of what this route takes. */
  patchOf?: string;
  /** Answered whoever asks. */
  isPublic?: boolean;
}

export interface Answer {
  is: string;
  /** The name of a shared schema or a schema; absent: no body. */
  body?: string | Schema;
  /** Default: JSON. */
  contentType?: string;
  headers?: readonly AnswerHeader[];
}

export type AnswerHeader = 'ETag' | 'Link' | 'Location' | 'Hookline-Cursor' | 'X-Poll-Interval' | 'Preference-Applied';

/** One kind of resource: its schemas, which all may refer to by name, and its operations, by `METHOD /path` as the route has it. */
export interface DocumentedResource {
  tag: string;
  description: string;
  schemas: Readonly<Record<string, Schema>>;
  operations: Readonly<Record<string, Operation>>;
}

/** A page of a collection. */
export const page = (of: string, is: string): Answer => ({
  is,
  body: { type: 'array', items: ref(of) },
  headers: ['Link'],
});

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

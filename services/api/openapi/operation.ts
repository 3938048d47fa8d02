import type { ProblemCode } from '#lib/problem';
import type { Schema } from './schema.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Documentation of the route; the API does not start without it. */
    operation?: Operation;
  }
}

/** Documentation of a route, next to its handler. The route's schemas describe its input. */
export interface Operation {
  /** The kind of resource that it is listed under. */
  tag: Tag;
  /** operationId: generated clients name their methods after it. */
  id: string;
  summary: string;
  description?: string;
  /** Descriptions of query parameters that need more than their names. */
  parameters?: Readonly<Record<string, string>>;
  /** By status; errors apart. */
  answers: Readonly<Record<number, Answer>>;
  /** Errors in addition to the common ones (errors-of.ts). */
  errors?: readonly ProblemCode[];
  /** Takes `If-Match`: it changes one resource. */
  conditional?: boolean;
  /** The route, as `METHOD /path`, whose body this merge patch changes. */
  patchOf?: string;
  /** Needs no key. */
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

type Tag =
  | 'Sources'
  | 'Endpoints'
  | 'Events'
  | 'Event types'
  | 'Deliveries'
  | 'Dead letters and replays'
  | 'Erasures'
  | 'Statistics'
  | 'System'
  | 'API keys'
  | 'Sessions'
  | 'Portal links'
  | 'Limits'
  | 'Tenants'
  | 'Audit'
  | 'Documentation';

/** One kind of resource: its routes have its tag, and all answers may refer to its schemas by name. */
export interface DocumentedResource {
  tag: Tag;
  description: string;
  schemas: Readonly<Record<string, Schema>>;
}

/** A page of a collection. */
export const page = (of: string, is: string): Answer => ({
  is,
  body: { type: 'array', items: ref(of) },
  headers: ['Link'],
});

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

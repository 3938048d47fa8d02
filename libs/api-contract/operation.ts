/**
 * An operation of the API, as it is written once for all: the API serves it, the client's types are its types, the document and its page describe it.
 * Its handler alone knows the rest: SQL, limits of work.
 */
import type { ProblemCode } from '#lib/problem';
import type { Capability, RouteScope, Scope } from './access.ts';
import type { AuditAction } from './audit-actions.ts';
import { list, type Schema, type Static, textOf } from './schema.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The callers of an operation, and what is kept of the call. */
export interface Access {
  /** Default: `read` for GET, `write` for all other methods. */
  scope?: RouteScope;
  /** With `dry_run: true` in the body, this scope is enough. */
  dryRunScope?: Scope;
  /** A session may do it to itself, with any scope. */
  orSessionItself?: boolean;
  /** The end of a sentence on what a session may not do: only the key itself may. */
  notBySession?: string;
  /** The operator may name `*` as the tenant. */
  ofAllTenants?: boolean;
  /** A portal session needs it for the route; `any`: no capability. Absent: closed to portal sessions. */
  capability?: Capability | 'any';
  /** The action of its audit entries, `<resource>.<verb>`; or why it has none. Every operation that is not a GET has it (a test). */
  audit?: AuditAction | { none: string };
  /** `required`: without a key 400. `ignored`: executed each time. Default `optional`. */
  idempotencyKey?: 'optional' | 'required' | 'ignored';
}

export interface Operation {
  method: Method;
  /** With `:name` for each of its parameters. */
  path: string;
  /** The kind of resource that it is listed under. */
  tag: Tag;
  summary: string;
  description?: string;
  /** A body that is valid as it stands: the page's commands send it. Every operation that requires a body has one (a test). */
  example?: object;
  /** By status; errors apart. */
  answers: Readonly<Record<number, Answer>>;
  /** Errors in addition to the common ones. */
  errors?: readonly ProblemCode[];
  /** Takes `If-Match`: it changes one resource. */
  conditional?: boolean;
  /** The route, as `METHOD /path`, whose body this merge patch changes. */
  patchOf?: string;
  /** Needs no key. */
  isPublic?: boolean;
  query?: Readonly<Record<string, Parameter>>;
  body?: Schema;
  access?: Access;
}

/** A parameter of a query. They stay text until their handler has read them. */
export interface Parameter<S extends Schema = Schema> {
  schema: S;
  /** Where the name does not say enough. */
  description?: string;
  /** Requests without it are refused. */
  required?: true;
}

interface RequiredParameter<S extends Schema = Schema> extends Parameter<S> {
  required: true;
}

export interface Answer<S extends Schema = Schema> {
  is: string;
  /** Absent: no body. */
  body?: S;
  /** Default: JSON. */
  contentType?: string;
  headers?: readonly AnswerHeader[];
}

export type AnswerHeader = 'ETag' | 'Link' | 'Location' | 'Hookline-Cursor' | 'X-Poll-Interval' | 'Preference-Applied';

export type Tag =
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

/** A schema that others refer to by its name. */
export interface Component<S extends Schema = Schema> {
  name: string;
  schema: S;
  ref: S;
}

export const component = <S extends Schema>(name: string, schema: S): Component<S> => ({
  name,
  schema,
  ref: { $ref: `#/components/schemas/${name}` } as unknown as S,
});

/** A kind of resource: its operations, and the schemas that they and others refer to. */
export interface Resource {
  tag: Tag;
  description: string;
  components: readonly Component[];
  /** By operationId, after which generated clients name their methods. */
  operations: Readonly<Record<string, Operation>>;
}

/** Keeps what is literal in it for the types below, as `operationsOf` does. */
export const resource = <const R extends Resource>(described: R): R => described;

type Listed<M extends Method, Path extends string> = { method: M; path: Path; tag: Tag };

/** Makes the operations of one kind of resource. */
export const operationsOf =
  (tag: Tag) =>
  <M extends Method, Path extends string, const O extends Omit<Operation, keyof Listed<M, Path>>>(
    method: M,
    path: Path,
    described: O,
  ): O & Listed<M, Path> => ({ ...described, method, path, tag });

export const parameter = <S extends Schema>(schema: S, description?: string): Parameter<S> => ({
  schema,
  ...(description !== undefined && { description }),
});

export const requiredParameter = <S extends Schema>(schema: S, description?: string): RequiredParameter<S> => ({
  ...parameter(schema, description),
  required: true,
});

/** The schemas of parameters, by name: bodies have the filters of lists, too. */
export const schemasOf = <Query extends Readonly<Record<string, Parameter>>>(query: Query) =>
  Object.fromEntries(Object.entries<Parameter>(query).map(([name, { schema }]) => [name, schema])) as {
    [Name in keyof Query]: Query[Name]['schema'];
  };

/** One whose body is a component. */
export const answer = <S extends Schema>({ ref }: Component<S>, is: string, ...headers: readonly AnswerHeader[]) => ({
  is,
  body: ref,
  headers,
});

/** A page of a collection. */
export const page = <S extends Schema>({ ref }: Component<S>, is: string) => ({
  is,
  body: list(ref),
  headers: ['Link'] as const,
});

type Succeeding = 200 | 201 | 202;

/** The value that a handler answers, and a client gets. */
export type AnswerOf<O extends Operation> = {
  [Status in keyof O['answers'] & Succeeding]: O['answers'][Status] extends Answer<infer S> ? Static<S> : never;
}[keyof O['answers'] & Succeeding];

/** Parameters as they are given. */
export type Given<Query extends Readonly<Record<string, Parameter>>> = {
  readonly [Name in keyof Query]?: Static<Query[Name]['schema']>;
} & {
  readonly [Name in keyof Query as Query[Name] extends RequiredParameter ? Name : never]: Static<Query[Name]['schema']>;
};

export type QueryOf<O extends Operation> =
  O['query'] extends Readonly<Record<string, Parameter>> ? Given<O['query']> : Readonly<Record<never, never>>;

export type BodyOf<O extends Operation> = O['body'] extends Schema ? Static<O['body']> : undefined;

type Segments<Path extends string> = Path extends `${infer Segment}/${infer Rest}` ? Segment | Segments<Rest> : Path;

export type ParamsOf<O extends Operation> = {
  readonly [Segment in Segments<O['path']> as Segment extends `:${infer Name}` ? Name : never]: string;
};

/** Parameters of each list that is paged. */
export const pageQuery = {
  limit: parameter(textOf({ maxLength: 64 }), 'page size, 1 to 1000; default 100'),
  cursor: parameter(textOf({ maxLength: 1_000 }), 'cursor from the `Link` of the previous page'),
};

/** Requests that may be held until there is something to answer. */
export const waitQuery = {
  wait: parameter(textOf({ maxLength: 64 }), 'seconds, at most 60; `Prefer: wait=N` does the same'),
};

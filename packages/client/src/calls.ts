/** The calls of the API as types, read off its contract, of which nothing is there at run time. */
import type { AnswerOf, BodyOf, Operation, Operations, ParamsOf, QueryOf } from '#lib/api-contract';

type Named = { readonly [O in Operations as `${O['method']} ${O['path']}`]: O };

/** `GET /v1/endpoints/:id` */
export type CallName = keyof Named;

/** Calls that give a list. */
export type ListName = {
  [Name in CallName]: Value<Name> extends readonly unknown[] ? Name : never;
}[CallName];

export type Value<Name extends CallName> = AnswerOf<Named[Name]>;
export type ItemOf<Name extends ListName> = Value<Name> extends readonly (infer Item)[] ? Item : never;

type Needed<Name extends string, T> = keyof T extends never ? { [N in Name]?: T } : { [N in Name]: T };

type BodyGiven<O extends Operation> =
  BodyOf<O> extends undefined
    ? { body?: undefined }
    : // A string is JSON already, and is sent as it stands.
      Needed<'body', BodyOf<O> | string>;

/** Numbers may stand where any text may. */
type Sendable<Query> = { readonly [Name in keyof Query]: Query[Name] | (string extends Query[Name] ? number : never) };

/** A call's parameters and body, beside what all calls may be given. */
export type Given<Name extends CallName> = Needed<'params', ParamsOf<Named[Name]>> &
  BodyGiven<Named[Name]> & { query?: Sendable<QueryOf<Named[Name]>> | URLSearchParams };

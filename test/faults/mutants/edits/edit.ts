/**
 * One change to a declaration, which is found by its name wherever it lives; the README explains each operation.
 *
 * `in` is the declaration: a name, or a path of names from outside to inside (`createDedupStore.judge`), where names between may be left
 * out; a folder before it (`services/api/buildApp`) only where the same name has two owners. A *pattern* is a piece of code that is compared
 * token by token; `$name` in it is a hole, for any expression or identifier, and stands for it in the code that is put in.
 */
export type Edit = { in: string } & Operation;

type Operation =
  | { without: Place }
  | { always: Pattern }
  | { never: Pattern }
  | { returns: Code }
  | { value: Code }
  | { insert: Code; before?: Place }
  | { replace: Pattern; with: Code };

/** A piece of TypeScript or SQL that must stand in the declaration once. */
export type Pattern = string;

/** A statement, by the function that it calls (`settle`, `deps.settle`), or by a pattern within it. */
export type Place = string;

/** TypeScript, or SQL where it stands in for some. */
type Code = string;

/** Files of a tree, by their paths within it. */
export type Sources = ReadonlyMap<string, string>;

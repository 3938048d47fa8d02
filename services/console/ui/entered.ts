import type { FieldError } from '../api-calls/console-api.ts';

/** What the fields of a form have in common: each shows what was entered for it, and what is wrong with that. */
export const enteredIn =
  (values: URLSearchParams, errors: readonly FieldError[]) =>
  (name: string, otherwise = '') => ({ name, value: values.get(name) ?? otherwise, errors });

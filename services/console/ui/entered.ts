import type { FieldError } from '../api-calls/console-api.ts';

/** The common part of a form's fields: each shows what was entered for it, and what is wrong with that. */
export const enteredIn =
  (values: URLSearchParams, errors: readonly FieldError[]) =>
  (name: string, otherwise = '') => ({ name, value: values.get(name) ?? otherwise, errors });

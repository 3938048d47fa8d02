export { ApiError, type ApiFailure, failureOf, type ProblemDetails } from './api-error.ts';
export type { CallName, ItemOf, ListName, Value } from './calls.ts';
export {
  type Asked,
  type Client,
  type ClientOptions,
  connect,
  createClient,
  type GivenOf,
  type Page,
} from './client.ts';
export type { HttpAnswer, HttpRequest, HttpResult, Method, Transport } from './transport.ts';

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
  type Part,
} from './client.ts';
export {
  createTransport,
  type HttpAnswer,
  type HttpRequest,
  type HttpResult,
  type Method,
  type Transport,
} from './transport.ts';

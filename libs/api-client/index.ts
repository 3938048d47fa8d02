export {
  type ApiClient,
  type ApiClientOptions,
  type ApiMethod,
  type ApiRequest,
  type Page,
  type Part,
  createApiClient,
  maxPageSize,
} from './api-client.ts';
export { type ApiFailure, type ApiResult, failureOf } from './api-result.ts';
export { type HttpResult, sendRequest } from './send-request.ts';
export { sendAgain } from './send-again.ts';

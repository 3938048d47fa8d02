export {
  type ApiClient,
  type ApiClientOptions,
  type ApiMethod,
  type ApiRequest,
  type Page,
  type Resend,
  createApiClient,
  maxPageSize,
} from './api-client.ts';
export { type ApiFailure, type ApiResult, type ProblemDetails, failureOf } from './api-result.ts';
export { type HttpResult, sendRequest } from './send-request.ts';
export { sendAgain } from './send-again.ts';

import { maxPayloadText } from '#lib/contract';

/**
 * Errors as clients see them: RFC 9457 `application/problem+json` with a stable `code`. This table is the whole list; docs/errors.md is
 * generated from it, with the advice.
 */
export const problemCodes = {
  signature_malformed: {
    status: 400,
    title: 'The signature header is malformed',
    advice: 'Send the header in the format of the scheme: docs/signature-schemes.md',
  },
  validation_failed: {
    status: 400,
    title: 'The request is invalid',
    advice:
      'Correct the fields that `errors` or `detail` names (JSON pointer, parameter or header); the same request fails again',
  },
  idempotency_key_invalid: {
    status: 400,
    title: 'The idempotency key is malformed',
    advice: 'Send one key of 1 to 255 bytes without control characters, raw or as a quoted string',
  },
  url_not_allowed: {
    status: 400,
    title: 'This URL is not allowed for endpoints',
    advice: 'Use a public https URL; the operator can allow other networks',
  },
  signature_missing: {
    status: 401,
    title: 'The signature header is missing',
    advice: 'Send the signature header of the scheme',
  },
  signature_invalid: {
    status: 401,
    title: 'The signature does not match the body',
    advice: 'Check the secret, and sign exactly the bytes that are sent',
  },
  timestamp_out_of_tolerance: {
    status: 401,
    title: 'The timestamp of the signature is too old, or in the future',
    advice: 'Check the clock of the sender; sign each retry again',
  },
  unauthorized: {
    status: 401,
    title: 'A valid API key is required',
    advice: 'Send `Authorization: Bearer <key>`; a revoked key never becomes valid again',
  },
  address_not_allowed: {
    status: 403,
    title: 'The client address is not allowed for this source',
    advice: 'Send from an address in `allowed_ips` of the source, or add this one',
  },
  client_certificate_required: {
    status: 403,
    title: 'This source requires a trusted client certificate',
    advice: 'Connect with a client certificate whose fingerprint the source lists',
  },
  verify_token_invalid: {
    status: 403,
    title: 'The verify token is wrong',
    advice: 'Give the provider the `verify_token` of the source',
  },
  forbidden: {
    status: 403,
    title: 'The API key does not have permission for this',
    advice: 'Use a key of this tenant with the scope that `detail` names',
  },
  not_found: {
    status: 404,
    title: 'No such resource',
    advice: 'Check the id, and the tenant of the key',
  },
  method_not_allowed: {
    status: 405,
    title: 'The resource does not support this method',
    advice: 'Use a method listed in the Allow header',
  },
  request_timeout: {
    status: 408,
    title: 'The body did not arrive in time',
    advice: 'Retry; send the body without pauses',
  },
  conflict: {
    status: 409,
    title: 'The state of the resource does not allow this',
    advice: 'Read the resource; `detail` gives the reason',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'A request with this idempotency key is in progress',
    advice: 'Retry with the same key after Retry-After, to get the response of the first request',
  },
  gone: {
    status: 410,
    title: 'The resource was deleted',
    advice: 'Stop requesting it: it is gone for good',
  },
  cursor_expired: {
    status: 410,
    title: 'The cursor has expired: events after it have been removed',
    advice:
      'List events from the start, without `cursor` and `updated_at_gte`, and continue from the last `Hookline-Cursor`',
  },
  precondition_failed: {
    status: 412,
    title: 'The resource was changed in the meantime',
    advice: 'Read the resource again, apply the change to it, and send its new ETag in If-Match',
  },
  payload_too_large: {
    status: 413,
    title: 'The request body is too large',
    advice: `Send less: \`detail\` names the limit. A payload has ${maxPayloadText} at most`,
  },
  unsupported_media_type: {
    status: 415,
    title: 'The content type is not supported',
    advice: 'Send `Content-Type: application/json`',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The idempotency key was used with a different request',
    advice: 'Use a new key for each new request',
  },
  schema_unusable: {
    status: 422,
    title: 'The event can’t be checked against the schema of its type',
    advice:
      'Publish a version of the type whose schema is simpler, or set its `enforce` to `tag`; `detail` names the limit',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    advice: 'Wait for Retry-After seconds, then retry with full jitter',
  },
  limit_reached: {
    status: 429,
    title: 'The tenant has reached a limit',
    advice: 'Delete unused resources, or ask the operator to raise the limit that `limit` names: docs/tenancy.md',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    advice: 'Tell the operator; the log has the reason. A POST with an Idempotency-Key can be retried',
  },
  unavailable: {
    status: 503,
    title: 'Temporarily unavailable: retry later',
    advice: 'Retry after Retry-After with full jitter; retry a POST with the same Idempotency-Key',
  },
} as const;

export type ProblemCode = keyof typeof problemCodes;

export interface Problem {
  type: string;
  title: string;
  status: number;
  code: ProblemCode;
  detail?: string;
  /** validation_failed: the invalid fields, by JSON pointer or parameter name. */
  errors?: readonly { field: string; message: string }[];
  /** How many more there are than `errors` lists. */
  more_errors?: number;
  /** limit_reached: the name of the limit in docs/tenancy.md. */
  limit?: string;
}

export const problemContentType = 'application/problem+json';

export function problem(code: ProblemCode, detail?: string, errors?: Problem['errors']): Problem {
  const { status, title } = problemCodes[code];
  return {
    type: `urn:hookline:problem:${code}`,
    title,
    status,
    code,
    ...(detail === undefined ? {} : { detail }),
    ...(errors === undefined ? {} : { errors }),
  };
}

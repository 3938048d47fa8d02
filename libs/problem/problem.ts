/**
 * Errors as clients see them: RFC 9457 `application/problem+json` with a stable `code`. This table is the whole list; docs/errors.md is
 * made of it, with the advice for whoever gets one.
 */
export const problemCodes = {
  signature_malformed: {
    status: 400,
    title: 'The signature header is not of the form that the scheme has',
    advice: 'Send the header as the scheme has it: docs/signature-schemes.md',
  },
  validation_failed: {
    status: 400,
    title: 'The request is not valid',
    advice: 'Mend what `errors` or `detail` names, by JSON pointer, parameter or header; the same request fails again',
  },
  idempotency_key_invalid: {
    status: 400,
    title: 'The idempotency key is not of the form that keys have',
    advice: 'Send one key of 1 to 255 bytes without control characters, raw or as a quoted string',
  },
  url_not_allowed: {
    status: 400,
    title: 'Endpoints may not have this URL',
    advice: 'Choose an address that is public and https; an operator may allow others',
  },
  signature_missing: {
    status: 401,
    title: 'The signature header is missing',
    advice: 'Send the scheme’s signature header',
  },
  signature_invalid: {
    status: 401,
    title: 'The signature does not match the body',
    advice: 'Compare the secret, and sign the bytes that are sent, as they are sent',
  },
  timestamp_out_of_tolerance: {
    status: 401,
    title: 'The signature is too old, or from the future',
    advice: 'Set the sender’s clock; sign anew for each try',
  },
  unauthorized: {
    status: 401,
    title: 'A valid bearer key is needed',
    advice: 'Send `Authorization: Bearer <key>`; a key that was revoked does not come back',
  },
  address_not_allowed: {
    status: 403,
    title: 'The address is not on the source’s list',
    advice: 'Send from an address on the source’s `allowed_ips`, or add this one',
  },
  client_certificate_required: {
    status: 403,
    title: 'The source wants a client certificate that it accepts',
    advice: 'Connect with a client certificate whose fingerprint the source lists',
  },
  verify_token_invalid: {
    status: 403,
    title: 'The verify token is not the source’s',
    advice: 'Give the provider the source’s `verify_token`',
  },
  forbidden: {
    status: 403,
    title: 'The key does not allow this',
    advice: 'Use a key that has the scope that `detail` names, of the tenant that is asked',
  },
  not_found: {
    status: 404,
    title: 'There is no such resource',
    advice: 'Look at the id and at the tenant whose key it is',
  },
  method_not_allowed: {
    status: 405,
    title: 'The resource does not have this method',
    advice: 'Use a method that the header Allow lists',
  },
  request_timeout: {
    status: 408,
    title: 'The body did not arrive in time',
    advice: 'Try again; send the body without pauses',
  },
  conflict: {
    status: 409,
    title: 'The resource’s state does not allow this',
    advice: 'Read the resource: `detail` says what stands in the way',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'A request with this idempotency key is being carried out',
    advice: 'Try again with the same key after Retry-After: you get the answer of the first',
  },
  gone: {
    status: 410,
    title: 'The resource was deleted',
    advice: 'Stop asking: it does not come back',
  },
  cursor_expired: {
    status: 410,
    title: 'Events after this position have been removed',
    advice: 'List events anew, without `cursor` and `updated_at_gte`, and go on from the last `Hookline-Cursor`',
  },
  precondition_failed: {
    status: 412,
    title: 'The resource has changed since',
    advice: 'Read the resource, make the change to what it now is, and send its ETag',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is above the limit',
    advice: 'Send at most 1 MiB',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body’s content type is not supported',
    advice: 'Send `Content-Type: application/json`',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The idempotency key was used for another request',
    advice: 'Take a new key for every new request',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    advice: 'Wait for as long as Retry-After says, then try again with full jitter',
  },
  limit_reached: {
    status: 429,
    title: 'The tenant has reached a limit',
    advice:
      'Delete what is no longer needed, or ask whoever runs this Hookline to raise the limit that `limit` names: docs/tenancy.md',
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong here',
    advice:
      'Tell whoever runs this Hookline; the log has the reason. A POST with an Idempotency-Key may be tried again',
  },
  unavailable: {
    status: 503,
    title: 'This can’t be done durably at the moment: try again',
    advice: 'Try again after Retry-After, a POST with the same Idempotency-Key, with full jitter',
  },
} as const;

export type ProblemCode = keyof typeof problemCodes;

export interface Problem {
  type: string;
  title: string;
  status: number;
  code: ProblemCode;
  detail?: string;
  /** validation_failed: which fields, by JSON pointer or parameter name. */
  errors?: readonly { field: string; message: string }[];
  /** limit_reached: the name that docs/tenancy.md has for it. */
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

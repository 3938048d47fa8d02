/**
 * Errors as clients see them: RFC 9457 `application/problem+json` with a stable `code`. This table is the whole list; docs/errors.md is
 * made of it.
 */
export const problemCodes = {
  signature_malformed: { status: 400, title: 'The signature header is not of the form that the scheme has' },
  validation_failed: { status: 400, title: 'The request is not valid' },
  url_not_allowed: { status: 400, title: 'Endpoints may not have this URL' },
  signature_missing: { status: 401, title: 'The signature header is missing' },
  signature_invalid: { status: 401, title: 'The signature does not match the body' },
  timestamp_out_of_tolerance: { status: 401, title: 'The signature is too old, or from the future' },
  unauthorized: { status: 401, title: 'A valid bearer key is needed' },
  address_not_allowed: { status: 403, title: 'The address is not on the source’s list' },
  client_certificate_required: { status: 403, title: 'The source wants a client certificate that it accepts' },
  verify_token_invalid: { status: 403, title: 'The verify token is not the source’s' },
  forbidden: { status: 403, title: 'The key’s scopes do not allow this' },
  not_found: { status: 404, title: 'There is no such resource' },
  method_not_allowed: { status: 405, title: 'The resource does not have this method' },
  request_timeout: { status: 408, title: 'The body did not arrive in time' },
  conflict: { status: 409, title: 'The resource’s state does not allow this' },
  gone: { status: 410, title: 'The resource was deleted' },
  precondition_failed: { status: 412, title: 'The resource has changed since' },
  payload_too_large: { status: 413, title: 'The body is above the limit' },
  unsupported_media_type: { status: 415, title: 'The body’s content type is not supported' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal_error: { status: 500, title: 'Something went wrong here' },
  unavailable: { status: 503, title: 'This can’t be done durably at the moment: try again' },
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

import { type AnswerHeader, type Schema, text } from '#lib/api-contract';

/** Parameters that many requests have, by the name of the shared component. */
export const requestHeaders = {
  tenant: {
    name: 'Hookline-Tenant',
    in: 'header',
    description:
      'the tenant, for requests with the admin key; other keys belong to a tenant. Default: `default`; `*` for what belongs to no tenant, where the operation says so',
    schema: { type: 'string', pattern: '^([*]|[A-Za-z0-9][A-Za-z0-9._-]{0,63})$' },
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'a retry with the same key has no further effect: it gets the stored response, with `Idempotent-Replayed: true`',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  ifMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'ETag of the version to change; 412 if the resource was changed in the meantime',
    schema: text,
  },
} as const;

const header = (description: string, schema: Schema = text) => ({ description, schema });

/** Headers of every answer to a key that has a rate. */
export const rateLimitHeaders = ['RateLimit', 'RateLimit-Policy'] as const;

/** Headers of answers, by their name. */
export const answerHeaders: Readonly<
  Record<AnswerHeader | 'Idempotent-Replayed' | (typeof rateLimitHeaders)[number], object>
> = {
  ETag: header('version of the representation'),
  Link: header(
    '`<url>; rel="next"`: the next page, if there is one; `rel="prev"`: the one before, for lists that have it',
  ),
  Location: header('where it can be read'),
  'Hookline-Cursor': header('cursor for the next request: its position is just after the last item'),
  'X-Poll-Interval': header('recommended seconds between two requests'),
  'Preference-Applied': header('the `wait` of the `Prefer` header that was applied'),
  RateLimit: header(
    'what is left of each rate (`r`), and the seconds until it is back (`t`): draft-ietf-httpapi-ratelimit-headers',
  ),
  'RateLimit-Policy': header(
    'the rates that the request counts under: `"key_rate";q=200;w=2` is 200 requests in 2 seconds',
  ),
  'Idempotent-Replayed': header('`true` if this is the stored response of an earlier request with the same key'),
};

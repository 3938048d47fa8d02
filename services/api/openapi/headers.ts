import type { AnswerHeader } from './operation.ts';
import { type Schema, text } from './schema.ts';

/** Parameters that many requests have, by the name of the shared component. */
export const requestHeaders = {
  tenant: {
    name: 'Hookline-Tenant',
    in: 'header',
    description:
      'whose resources the request is about, for the admin key; a key has its tenant already. Default: `default`',
    schema: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' },
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'what is sent again with the same key is not carried out again: it gets the first answer, with `Idempotent-Replayed: true`',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  ifMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'the ETag of the state that is to be changed; in any other the answer is 412',
    schema: text,
  },
} as const;

const header = (description: string, schema: Schema = text) => ({ description, schema });

/** Headers of answers, by their name. */
export const answerHeaders: Readonly<Record<AnswerHeader | 'Idempotent-Replayed', object>> = {
  ETag: header('names the state of what is answered'),
  Link: header('`<url>; rel="next"`: the next page, if there is one'),
  Location: header('where it can be read'),
  'Hookline-Cursor': header('where to go on from: strictly after the last item'),
  'X-Poll-Interval': header('seconds to leave between two requests'),
  'Preference-Applied': header('the wait that `Prefer` asked for'),
  'Idempotent-Replayed': header('`true` where this is the answer to an earlier request with the same key'),
};

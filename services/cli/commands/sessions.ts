import { apiVerbs } from '../api-calls/api-verb.ts';
import { readWholeNumber } from '../options/values.ts';
import { columns } from '../output/print.ts';
import { flag, list, text } from '../verb.ts';

const { apiVerb, listVerb, endVerb } = apiVerbs('sessions');

const hour = 3_600;
const longestHours = 12;

export const sessions = {
  create: apiVerb({
    summary: 'Make a session: a token with an end, for a person or a program that should not hold the key',
    description:
      'Makes a session of the key in use and prints its token: it is shown this once. The session ends two hours after its last use, after --hours, and with its key. With --code, prints a code instead, which is redeemed once within a minute.',
    options: {
      scope: list('SCOPE', 'read, write, publish or admin (default: those of the key)'),
      hours: text('N', `end after so many hours, ${longestHours} at most (default: ${longestHours})`),
      'all-tenants': flag('for all tenants; with the admin key'),
      code: flag('print a code that is redeemed for the token'),
    },
    call: (api, { scope: scopes, hours, 'all-tenants': ofAll, code }) => {
      const ends = { min: 1, max: longestHours, otherwise: longestHours };
      const body = {
        scopes,
        ...(ofAll && { tenant: '*' }),
        expires_in_seconds: readWholeNumber('hours', hours, ends) * hour,
        code,
      };
      return api.call('POST /v1/sessions', { body: JSON.stringify(body) });
    },
  }),
  list: listVerb({
    summary: 'List sessions that have not ended',
    description:
      "Lists sessions that have not ended, oldest first. --tenant '*' lists those of the operator for all tenants.",
    call: (api, { most }) => api.list('GET /v1/sessions', most),
    show: columns('id', 'key_id', 'scopes', 'created_at', 'idle_expires_at', 'expires_at'),
  }),
  end: endVerb({
    summary: 'End a session',
    description: 'Ends a session for good, within two seconds. Takes the id of the session, not the token.',
    field: 'ended',
    words: 'has ended',
    call: (api, given) => api.call('DELETE /v1/sessions/:id', given),
  }),
};

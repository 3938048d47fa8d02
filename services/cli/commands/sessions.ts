import { apiVerb } from '../api-calls/api-verb.ts';
import { readLimit, readWholeNumber } from '../options/values.ts';
import { columns } from '../output/print.ts';
import { flag, list, text } from '../verb.ts';

const resources = 'sessions';
const hour = 3_600;
const longestHours = 12;

export const sessions = {
  create: apiVerb({
    summary: 'Make a session: a token with an end, for a person or a program that should not hold the key',
    description:
      'Makes a session of the key in use and prints its token: it is shown this once. The session ends two hours after its last use, after --hours, and with its key. With --code, prints a code instead, which is redeemed once within a minute.',
    resources,
    options: {
      scope: list('SCOPE', 'read, write, publish or admin (default: those of the key)'),
      hours: text('N', `end after so many hours, ${longestHours} at most (default: ${longestHours})`),
      'all-tenants': flag('for all tenants; with the admin key'),
      code: flag('print a code that is redeemed for the token'),
    },
    call: (api, { scope: scopes, hours, 'all-tenants': ofAll, code }) => {
      const ends = { min: 1, max: longestHours, otherwise: longestHours };
      const body = {
        ...(scopes !== undefined && { scopes }),
        ...(ofAll && { tenant: '*' }),
        expires_in_seconds: readWholeNumber('hours', hours, ends) * hour,
        code,
      };
      return api.call('POST /v1/sessions', { body: JSON.stringify(body) });
    },
  }),
  list: apiVerb({
    summary: 'List sessions that have not ended',
    description:
      "Lists sessions that have not ended, oldest first. --tenant '*' lists those of the operator for all tenants.",
    resources,
    options: { limit: text('N', 'list at most this many (default: all)') },
    call: (api, { limit }) => api.list('GET /v1/sessions', readLimit(limit)),
    show: columns('id', 'key_id', 'scopes', 'created_at', 'idle_expires_at', 'expires_at'),
  }),
  end: apiVerb({
    summary: 'End a session',
    description: 'Ends a session for good, within two seconds. Takes the id of the session, not the token.',
    resources,
    argument: 'id',
    call: async (api, _values, { id }) => {
      await api.call('DELETE /v1/sessions/:id', { params: { id } });
      return { id, ended: true };
    },
    show: ({ id }) => `${id} has ended`,
  }),
};

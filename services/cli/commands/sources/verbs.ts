import { apiVerb } from '../../api-calls/api-verb.ts';
import { pathOf } from '../../api-calls/path-of.ts';
import { rotateSecretVerb } from '../../api-calls/rotate-secret.ts';
import { omitAbsent, readLimit } from '../../options/read-values.ts';
import {
  changeOptions,
  readResets,
  readSettings,
  refuseEmptyChange,
  settingsOptions,
} from '../../options/settings-options.ts';
import { columns } from '../../output/print.ts';
import { flag, text } from '../../verb.ts';
import { sourceSettings } from './settings.ts';
import { type ShownSource, sourceWarnings } from './warnings.ts';
import { webhookVerbs } from './webhook-verbs.ts';

export const sources = {
  list: apiVerb({
    summary: 'List the sources',
    description: 'Lists the sources that are not deleted, oldest first.',
    resources,
    options: {
      failing: flag('sources that have rejected webhooks in the last ten minutes, and accepted none'),
      search: text('TEXT', 'sources with this text in the name'),
      limit: text('N', 'list at most this many (default: all)'),
    },
    call: (api, { failing, search, limit }) => {
      const filter = omitAbsent({ failing: failing ? 'true' : undefined, q: search });
      return api.list(`/sources?${new URLSearchParams(filter).toString()}`, readLimit(limit));
    },
    show: columns('id', 'name', 'scheme', 'created_at'),
  }),
  show: apiVerb({
    summary: 'Show a source',
    resources,
    argument: 'id',
    call: (api, _values, { id }) => api.ask<ShownSource>('GET', pathOf('sources', id)),
    warn: sourceWarnings,
  }),
  create: apiVerb({
    summary: 'Create a source; shows its secret once',
    description: 'Creates a source. Prints the URL to give to the provider, and the secret: it is shown this once.',
    resources,
    options: {
      name: text('NAME', 'a name for people'),
      scheme: text('SCHEME', 'hookline, stripe, github, …'),
      secret: text('TEXT', 'the secret that the provider has generated (default: a new one)'),
      ...settingsOptions(sourceSettings),
    },
    async call(api, values, _given, context) {
      const { name, scheme, secret } = values;
      const body = {
        ...(await readSettings(context, values, sourceSettings)),
        ...omitAbsent({ name, scheme, secret }),
      };
      return api.ask<ShownSource>('POST', '/sources', { body });
    },
    warn: async ({ advice }) => advice,
  }),
  update: apiVerb({
    summary: 'Change or reset settings of a source',
    description: 'Changes the settings that are given and leaves the rest. In force everywhere within 2 seconds.',
    resources,
    argument: 'id',
    options: {
      name: text('NAME', 'a name for people'),
      ...changeOptions('source'),
      ...settingsOptions(sourceSettings),
    },
    async call(api, values, { id }, context) {
      const body = {
        ...(await readSettings(context, values, sourceSettings)),
        ...readResets(values.reset, { thing: 'a source', settings: Object.keys(sourceSettings) }),
        ...omitAbsent({ name: values.name }),
      };
      refuseEmptyChange(body);
      return api.ask<ShownSource>('PATCH', pathOf('sources', id), { body, ifMatch: values['if-match'] });
    },
    warn: async ({ advice }) => advice,
  }),
  delete: apiVerb({
    summary: 'Delete a source: its senders get 410',
    description: 'Deletes a source for good. Its senders get 410 within 2 seconds, and its id is never used again.',
    resources,
    argument: 'id',
    call: async (api, _values, { id }) => {
      await api.ask('DELETE', pathOf('sources', id));
      return { id, deleted: true };
    },
    show: ({ id }) => `${id} is deleted`,
  }),
  'rotate-secret': rotateSecretVerb('sources', {
    description: 'Prints the new secret: it is shown this once. Both secrets are valid until the overlap has passed.',
    secretHelp: 'the new secret that the provider has generated (default: a new one)',
  }),
  rejections: apiVerb({
    summary: 'List recently rejected webhooks, and why',
    description: 'Lists the webhooks of a source that were rejected recently, newest first; --json adds their headers.',
    resources,
    argument: 'id',
    options: { limit: text('N', 'list at most this many (default: 20)') },
    call: (api, { limit }, { id }) =>
      api.list(pathOf('sources', id, 'rejections'), readLimit(limit, { max: 1_000, otherwise: 20 })),
    show: columns('at', 'code', 'client_address', 'body_bytes'),
  }),
  ...webhookVerbs,
};

import { omitAbsent, readWholeNumber } from '../options/read-values.ts';
import { text, type Verb } from '../verb.ts';
import { apiVerb } from './api-verb.ts';
import { pathOf } from './path-of.ts';

const month = 30 * 24 * 3600;

interface Options {
  description: string;
  secretHelp: string;
}

/** The verb that rotates the secret of a source or an endpoint. */
export const rotateSecretVerb = (resources: 'sources' | 'endpoints', { description, secretHelp }: Options): Verb =>
  apiVerb({
    summary: 'Rotate the secret; the old one stays valid for a while',
    description,
    resources,
    argument: 'id',
    options: {
      'overlap-seconds': text('N', 'how long the old secret stays valid (default: 86400); 0 if it has leaked'),
      secret: text('TEXT', secretHelp),
    },
    call: (api, { secret, 'overlap-seconds': overlap }, { id }) => {
      const body = {
        ...omitAbsent({ secret }),
        ...(overlap !== undefined && {
          overlap_seconds: readWholeNumber('overlap-seconds', overlap, { min: 0, max: month, otherwise: 0 }),
        }),
      };
      return api.ask('POST', pathOf(resources, id, 'rotate-secret'), { body });
    },
  });

import type { DocumentedResource } from '../operation.ts';
import { nullable, number, object, oneOf, saying, text } from '#lib/api-contract';

export const documentedLimits: DocumentedResource = {
  tag: 'Limits',
  description: 'What a tenant and a key may use: docs/tenancy.md. Only the operator can raise the limits of a tenant.',
  schemas: {
    Limit: object({
      name: saying('as problems name it in `limit`', text),
      whose: saying('to whom it applies', text),
      limit: saying('null: there is none, or it is a share of what is free', nullable(number)),
      used: saying(
        'now; null where it is not counted. Of rates: requests of the burst that are not back yet',
        nullable(number),
      ),
      unit: oneOf(['count', 'bytes', 'per_second', 'levels']),
      counts: saying('what is counted', text),
      answer: saying('what happens at the limit', text),
      raised_by: saying('the setting that raises it, or who does', text),
    }),
  },
};

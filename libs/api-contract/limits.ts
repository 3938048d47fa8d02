import { component, operation, resource } from './operation.ts';
import { list, nullable, number, object, oneOf, saying, type Static, text } from './schema.ts';

const limit = component(
  'Limit',
  object({
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
);

export type Limit = Static<typeof limit.schema>;

/** Closed to portal sessions: a customer would see how large its provider is. */
export const listLimits = operation({
  method: 'GET',
  path: '/v1/limits',
  tag: 'Limits',
  id: 'listLimits',
  summary: 'List the rates and limits of the tenant and of the key, with what is used now',
  description:
    'Every 429 and 413 names one of these in `limit`. Of limits per process, `used` is that of the process that answers; of rates, the requests of the burst that are not back yet. It is null where nothing is counted, where only other processes count, and of rates while Redis is away.',
  answers: { 200: { is: 'All limits', body: list(limit.ref) } },
});

export const limits = resource({
  tag: 'Limits',
  description: 'What a tenant and a key may use: docs/tenancy.md. Only the operator can raise the limits of a tenant.',
  components: [limit],
  operations: [listLimits],
});

import { component, operationsOf, resource } from './operation.ts';
import * as t from './schema.ts';

const operation = operationsOf('Limits');

const limit = component(
  'Limit',
  t.object({
    name: t.saying('as problems name it in `limit`', t.text),
    whose: t.saying('to whom it applies', t.text),
    limit: t.saying('null: there is none, or it is a share of what is free', t.nullable(t.number)),
    used: t.saying(
      'now; null where it is not counted. Of rates: requests of the burst that are not back yet',
      t.nullable(t.number),
    ),
    unit: t.oneOf(['count', 'bytes', 'per_second', 'levels']),
    counts: t.saying('what is counted', t.text),
    answer: t.saying('what happens at the limit', t.text),
    raised_by: t.saying('the setting that raises it, or who does', t.text),
  }),
);

export type Limit = t.Static<typeof limit.schema>;

/** Closed to portal sessions: a customer would see how large its provider is. */
export const listLimits = operation('GET', '/v1/limits', {
  summary: 'List the rates and limits of the tenant and of the key, with what is used now',
  description:
    'Every 429 and 413 names one of these in `limit`. Of limits per process, `used` is that of the process that answers; of rates, the requests of the burst that are not back yet. It is null where nothing is counted, where only other processes count, and of rates while Redis is away.',
  answers: { 200: { is: 'All limits', body: t.list(limit.ref) } },
});

export const limits = resource({
  tag: 'Limits',
  description: 'What a tenant and a key may use: docs/tenancy.md. Only the operator can raise the limits of a tenant.',
  components: [limit],
  operations: { listLimits },
});

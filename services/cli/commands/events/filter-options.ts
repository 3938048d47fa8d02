import { readTime, timeForms } from '../../options/read-time.ts';
import { omitAbsent } from '../../options/read-values.ts';
import { text, type Values } from '../../verb.ts';

/** The filters of events. */
export const filterOptions = {
  type: text('NAME', 'events of this type'),
  status: text('NAME', 'received, processing, completed or dead_lettered'),
  source: text('ID', 'events of this source'),
  since: text('TIME', `changed at this time or later: ${timeForms}`),
};

/** The API's parameters. */
export const filterOf = (values: Values<typeof filterOptions>, nowMs: number): Record<string, string> =>
  omitAbsent({
    type: values.type,
    status: values.status,
    source_id: values.source,
    updated_at_gte: readTime('since', values.since, nowMs),
  });

import { readTime, timeForms } from '../../options/read-time.ts';
import { omitAbsent } from '../../options/read-values.ts';
import { text, type Values } from '../../verb.ts';

/** The filters of dead letters, each the API's field of that name. */
export const filterOptions = {
  stage: text('NAME', 'where it was dead-lettered: dedup, fan-out, dispatcher or projector'),
  endpoint: text('ID', 'deliveries to this endpoint'),
  type: text('NAME', 'events of this type'),
  source: text('ID', 'events of this source'),
  reason: text('NAME', 'why it was dead-lettered, such as retries_exhausted'),
  since: text('TIME', `dead-lettered at this time or later: ${timeForms}`),
  until: text('TIME', 'dead-lettered before this time'),
};

/** The API's fields. */
export const filterOf = (values: Values<typeof filterOptions>, nowMs: number): Record<string, string> =>
  omitAbsent({
    stage: values.stage,
    endpoint_id: values.endpoint,
    event_type: values.type,
    source_id: values.source,
    reason: values.reason,
    since: readTime('since', values.since, nowMs),
    until: readTime('until', values.until, nowMs),
  });

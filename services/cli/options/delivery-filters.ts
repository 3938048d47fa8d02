import { text, type Values } from '../verb.ts';
import { readTime, timeForms } from './read-time.ts';
import { omitAbsent } from './read-values.ts';

/** The filters of deliveries, each the API's field of that name. */
export const deliveryFilterOptions = {
  endpoint: text('ID', 'deliveries to this endpoint'),
  status: text('NAME', 'pending, retrying, parked, delivered, dead_lettered or cancelled'),
  type: text('NAME', 'deliveries of events of this type'),
  outcome: text('NAME', 'outcome of the last attempt, such as http_5xx or timeout'),
  'http-status': text('N', 'HTTP status of the last attempt'),
  since: text('TIME', `created at this time or later: ${timeForms}`),
  until: text('TIME', 'created before this time'),
};

/** The API's fields. */
export const deliveryFilterOf = (values: Values<typeof deliveryFilterOptions>, nowMs: number): Record<string, string> =>
  omitAbsent({
    endpoint_id: values.endpoint,
    status: values.status,
    event_type: values.type,
    outcome: values.outcome,
    http_status: values['http-status'],
    since: readTime('since', values.since, nowMs),
    until: readTime('until', values.until, nowMs),
  });

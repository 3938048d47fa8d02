import { attemptOutcomes, deliveryStatuses } from '#lib/contract';
import { dateTime, filterText } from './fields.ts';
import { parameter } from './operation.ts';
import * as t from './schema.ts';

/** The filters of `GET /v1/deliveries`. */
export const deliveryFilterQuery = {
  endpoint_id: parameter(filterText),
  status: parameter(t.textIn(deliveryStatuses)),
  event_type: parameter(filterText),
  outcome: parameter(t.textIn(attemptOutcomes), 'outcome of the last attempt'),
  http_status: parameter(
    t.textOf({ maxLength: 3, pattern: '^[1-9][0-9]{2}$', description: 'an HTTP status such as 503' }),
    'HTTP status of the last attempt',
  ),
  since: parameter(dateTime, 'RFC 3339: deliveries created at or after this time'),
  until: parameter(dateTime, 'RFC 3339: deliveries created before this time'),
};

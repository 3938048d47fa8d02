import { tenantOption } from '../../connect.ts';
import { omitAbsent } from '../../options.ts';
import { readTime, timeForms } from '../../read-time.ts';

/** By what dead letters are chosen; each as the API's field of that name. */
export const filterOptions = {
  ...tenantOption,
  stage: { type: 'string' },
  endpoint: { type: 'string' },
  type: { type: 'string' },
  source: { type: 'string' },
  reason: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
} as const;

export const filterHelp = `  --stage NAME                 dedup, fan-out, dispatcher or projector: where it died
  --endpoint ID                deliveries to this endpoint
  --type NAME                  events of this type
  --source ID                  what came from this source
  --reason NAME                why it died, such as retries_exhausted
  --since TIME, --until TIME   when it died: ${timeForms}`;

type Values = Partial<Record<Exclude<keyof typeof filterOptions, 'tenant'>, string>>;

/** The API's fields. */
export const filterOf = (values: Values, nowMs: number): Record<string, string> =>
  omitAbsent({
    stage: values.stage,
    endpoint_id: values.endpoint,
    event_type: values.type,
    source_id: values.source,
    reason: values.reason,
    since: readTime('since', values.since, nowMs),
    until: readTime('until', values.until, nowMs),
  });

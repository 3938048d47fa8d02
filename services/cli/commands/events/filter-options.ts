import { tenantOption } from '../../connect.ts';
import { omitAbsent } from '../../options.ts';
import { readTime, timeForms } from '../../read-time.ts';

/** By what events are chosen. */
export const filterOptions = {
  ...tenantOption,
  type: { type: 'string' },
  status: { type: 'string' },
  source: { type: 'string' },
  since: { type: 'string' },
} as const;

export const filterHelp = `  --type NAME                  events of this type
  --status NAME                received, processing, completed or dead_lettered
  --source ID                  what came from this source
  --since TIME                 what has changed since: ${timeForms}`;

type Values = Partial<Record<Exclude<keyof typeof filterOptions, 'tenant'>, string>>;

/** The API's parameters. */
export const filterOf = (values: Values, nowMs: number): Record<string, string> =>
  omitAbsent({
    type: values.type,
    status: values.status,
    source_id: values.source,
    updated_at_gte: readTime('since', values.since, nowMs),
  });

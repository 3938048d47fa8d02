import { usageFailure } from '../../command.ts';
import { tenantOption } from '../sources/connect.ts';

export { connect } from '../sources/connect.ts';

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
  --since TIME, --until TIME   when it died: 2026-01-31T09:30:00Z, or an age such as 90m, 12h, 3d`;

export const tenantHelp =
  '  --tenant NAME                whose dead letters (default: default)\n  --json                       the answer as JSON';

type Values = Partial<Record<Exclude<keyof typeof filterOptions, 'tenant'>, string>>;

/** The API's fields. */
export function filterOf(values: Values, nowMs: number): Record<string, string> {
  const fields = {
    stage: values.stage,
    endpoint_id: values.endpoint,
    event_type: values.type,
    source_id: values.source,
    reason: values.reason,
    since: readTime('since', values.since, nowMs),
    until: readTime('until', values.until, nowMs),
  };
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time as the API takes it; an age counts back from now. */
function readTime(option: string, text: string | undefined, nowMs: number): string | undefined {
  if (text === undefined || /^\d{4}-/.test(text)) return text;
  const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  if (count === undefined) throw usageFailure(`--${option} must be a time or an age such as 12h, not ${text}`);
  return new Date(Math.max(0, nowMs - Number(count) * (unitMs[unit] ?? 0))).toISOString();
}

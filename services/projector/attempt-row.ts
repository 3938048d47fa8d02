import { type Attempted, type AttemptTiming, sendColumns, timingColumns } from '#lib/contract';
import { formatMicros } from '#lib/runtime';
import { deliveryAt } from './facts.ts';
import type { AttemptRow } from './statements/attempts.ts';

type SendRow = Pick<AttemptRow, keyof typeof sendColumns>;

const sendTypes = Object.entries(sendColumns) as [keyof SendRow, string][];
const noTiming = Object.fromEntries(Object.keys(timingColumns).map((phase) => [phase, null])) as AttemptTiming;

export function attemptRow(record: Attempted): AttemptRow {
  const { tenant, delivery_id, event_id, step, attempt, at, detail, timing } = record;
  return {
    tenant,
    delivery_id,
    event_id,
    step,
    attempt,
    detail,
    at: formatMicros(at),
    delivery_at: formatMicros(deliveryAt(record)),
    ...sendRow(record),
    ...(timing ?? noTiming),
  };
}

/** The fields of a send as they are, but for objects, which become JSON. */
function sendRow(record: Attempted): SendRow {
  const row: Record<string, unknown> = {};
  for (const [name, type] of sendTypes) row[name] = type === 'json?' ? jsonOf(record[name]) : record[name];
  return row as unknown as SendRow;
}

const jsonOf = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

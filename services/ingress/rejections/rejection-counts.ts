/**
 * Counts the refused webhooks by minute, source and error code, for the statistics. They are in memory until the next write, within a second: what a
 * killed process has not written is not counted, and what was written with an unknown outcome may be counted twice.
 */
import type { RejectedStatRow } from '#lib/event-store';
import { formatMicros } from '#lib/runtime';
import type { Rejection } from './rejection-row.ts';

type Refusal = Pick<Rejection, 'tenant' | 'sourceId' | 'code' | 'atMs'>;

export interface RejectionCounts {
  add(refusal: Refusal): void;
  /** All that there are; they are not kept any more. */
  take(): RejectedStatRow[];
  /** Takes back counts that could not be written. */
  putBack(rows: readonly RejectedStatRow[]): void;
}

/** Sources, codes and minutes between two writes, or while Postgres is away; refusals of further ones are not counted. */
const maxCounts = 10_000;
const minuteMs = 60_000;

export function createRejectionCounts(): RejectionCounts {
  let counts = new Map<string, RejectedStatRow>();

  function count(row: RejectedStatRow): void {
    const key = `${row.tenant}/${row.source_id}/${row.outcome}/${row.at}`;
    const known = counts.get(key);
    if (known !== undefined) known.rejected += row.rejected;
    else if (counts.size < maxCounts) counts.set(key, { ...row });
  }

  return {
    add({ tenant, sourceId, code, atMs }) {
      const at = formatMicros(Math.floor(atMs / minuteMs) * minuteMs * 1_000);
      count({ tenant, source_id: sourceId, outcome: code, at, rejected: 1 });
    },
    take() {
      const taken = [...counts.values()];
      counts = new Map();
      return taken;
    },
    putBack: (rows) => rows.forEach(count),
  };
}

/** Counting what a replay would take: a dry run of the API, in one form for dead letters, events and deliveries. */
import type { ApiFailure } from '#client';
import { formatMicros } from '#lib/clock';
import type { Listed, ReadApi } from '../../api-calls/console-api.ts';
import { path, withQuery } from '../../api-calls/paths.ts';
import type { TenantContext } from '../../page.ts';
import type { ReplayItem } from './replay.ts';
import { bodyOf, bulkKinds, type Selection } from './selection.ts';

export interface Preview {
  /** Starts exactly what was counted. */
  asOf: string;
  /** The time of the count. */
  at: string;
  matched: number;
  leftOut: number;
  /** False: there are more than were counted, and they are taken too. */
  isComplete: boolean;
  byEndpoint: readonly { endpointId: string | null; n: number; isAtMost: boolean }[];
  byReason: readonly { reason: string; n: number }[];
  /** Undefined: no rate was chosen. */
  seconds: number | undefined;
  /** The first dead letters. */
  ids: readonly string[];
}

interface DeadLetterCounts {
  matched: number;
  left_out: number;
  ids: readonly string[];
  by_endpoint: readonly { endpoint_id: string | null; letters: number }[];
  by_reason: readonly { stage: string; reason: string; letters: number }[];
}

interface BulkCounts {
  as_of: string;
  matched: number;
  left_out: number;
  complete: boolean;
  by_endpoint: readonly { endpoint_id: string; deliveries: number; at_most: boolean }[];
  by_reason: readonly { reason: string; deliveries: number }[];
  seconds: number | null;
}

export async function previewOf(
  { api, clock }: Pick<TenantContext, 'api' | 'clock'>,
  selection: Selection,
): Promise<{ ok: true; preview: Preview } | { ok: false; failure: ApiFailure }> {
  const at = formatMicros(clock.nowMs() * 1_000);
  const ids = await chosenIds(api, selection);
  const body = { ...bodyOf(selection, { until: at, ids }), dry_run: true };
  const { path: to } = bulkKinds[selection.kind];
  if (selection.kind === 'dead_letters') {
    // No dead letter has an empty list of ids: all would match.
    if (selection.failedOf !== null && ids.length === 0) return { ok: true, preview: { ...none, asOf: at, at } };
    const counted = await api.query<DeadLetterCounts>(to, body);
    return counted.ok ? { ok: true, preview: ofDeadLetters(counted.value, at, selection) } : counted;
  }
  const counted = await api.query<BulkCounts>(to, body);
  return counted.ok ? { ok: true, preview: ofMatches(counted.value, at) } : counted;
}

const none = { matched: 0, leftOut: 0, isComplete: true, byEndpoint: [], byReason: [], seconds: undefined, ids: [] };

/** Dead letters have no `as_of`: the time until which they were counted does the same. */
function ofDeadLetters(counts: DeadLetterCounts, at: string, { rate }: Selection): Preview {
  return {
    asOf: at,
    at,
    matched: counts.matched,
    leftOut: counts.left_out,
    isComplete: true,
    byEndpoint: counts.by_endpoint.map(({ endpoint_id: endpointId, letters: n }) => ({
      endpointId,
      n,
      isAtMost: false,
    })),
    byReason: counts.by_reason.map(({ reason, letters: n }) => ({ reason, n })),
    seconds: rate === undefined ? undefined : counts.matched / Number(rate),
    ids: counts.ids,
  };
}

function ofMatches(counts: BulkCounts, at: string): Preview {
  return {
    asOf: counts.as_of,
    at,
    matched: counts.matched,
    leftOut: counts.left_out,
    isComplete: counts.complete,
    byEndpoint: counts.by_endpoint.map(({ endpoint_id: endpointId, deliveries: n, at_most: isAtMost }) => ({
      endpointId,
      n,
      isAtMost,
    })),
    byReason: counts.by_reason.map(({ reason, deliveries: n }) => ({ reason, n })),
    seconds: counts.seconds ?? undefined,
    ids: [],
  };
}

/** As many ids as one request takes. */
const maxIds = 10_000;
const pageItems = 1_000;

/** The ids of the address; or the dead letters that the named replay could not send. */
export async function chosenIds(api: ReadApi, { ids, failedOf }: Selection): Promise<readonly string[]> {
  if (failedOf === null) return ids;
  const found: string[] = [];
  let parameters: URLSearchParams | undefined = new URLSearchParams({ status: 'failed', limit: String(pageItems) });
  while (parameters !== undefined && found.length < maxIds) {
    const listed: Listed<ReplayItem> = await api.list<ReplayItem>(
      withQuery(path`/replays/${failedOf}/items`, parameters),
    );
    if (!listed.ok) break;
    found.push(...listed.items.flatMap(({ dead_letter_id: id }) => id ?? []));
    parameters = listed.next;
  }
  return found.slice(0, maxIds);
}

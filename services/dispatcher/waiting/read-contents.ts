import type { WaitingTable } from './waiting-table.ts';
import type { EventContent } from '../model/event-content.ts';

interface RowOfEvent {
  tenant: string;
  eventId: string;
  payloadBytes: number;
}

interface Contents {
  /** Undefined where its event is not in the tables, or there was no memory for it. */
  of(row: RowOfEvent): EventContent | undefined;
}

/**
 * Reads the events of the rows, from the first on, as far as there is memory for their payloads.
 *
 * @throws AppError store_unavailable
 */
export type ReadContents = (rows: readonly RowOfEvent[]) => Promise<Contents>;

/** Payload bytes of one read; a single payload may be larger. */
const maxReadBytes = 16 * 1024 * 1024;

const keyOf = ({ tenant, eventId }: Pick<RowOfEvent, 'tenant' | 'eventId'>): string => `${tenant}/${eventId}`;

export const createReadContents =
  (table: Pick<WaitingTable, 'contents'>): ReadContents =>
  async (rows) => {
    let bytes = 0;
    const wanted = new Map<string, RowOfEvent>();
    for (const row of rows) {
      if (!wanted.has(keyOf(row))) bytes += row.payloadBytes;
      if (wanted.size > 0 && bytes > maxReadBytes) break;
      wanted.set(keyOf(row), row);
    }
    const found = wanted.size === 0 ? [] : await table.contents([...wanted.values()]);
    const contents = new Map(found.map((content) => [keyOf(content), content]));
    return { of: (row) => contents.get(keyOf(row)) };
  };

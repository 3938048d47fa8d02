import type { EndpointDirectory } from '../endpoints/endpoint-directory.ts';
import type { EventContent } from '../model/event-content.ts';
import type { AskedContent, WaitingTable } from './waiting-table.ts';

interface RowOfEvent {
  tenant: string;
  endpointId: string;
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

const keyOf = ({ tenant, eventId }: Pick<EventContent, 'tenant' | 'eventId'>): string => `${tenant}/${eventId}`;

export const createReadContents =
  (table: Pick<WaitingTable, 'contents'>, directory: Pick<EndpointDirectory, 'get'>): ReadContents =>
  async (rows) => {
    let bytes = 0;
    const wanted = new Map<string, AskedContent>();
    for (const row of rows) {
      const { tenant, eventId, endpointId } = row;
      const known = wanted.get(keyOf(row));
      if (known === undefined) bytes += row.payloadBytes;
      if (wanted.size > 0 && bytes > maxReadBytes) break;
      const passesHeaders = directory.get(tenant, endpointId)?.passHeaders !== undefined;
      wanted.set(keyOf(row), { tenant, eventId, withRequest: passesHeaders || (known?.withRequest ?? false) });
    }
    const found = wanted.size === 0 ? [] : await table.contents([...wanted.values()]);
    const contents = new Map(found.map((content) => [keyOf(content), content]));
    return { of: (row) => contents.get(keyOf(row)) };
  };

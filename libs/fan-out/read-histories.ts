import type { PastSubscription } from '#lib/contract';
import { inPieces, type Query } from '#lib/postgres';

/** The subscriptions of an endpoint before its changes. */
export interface Past {
  /** Oldest first; undefined: nothing new, the known history is complete. */
  history: readonly PastSubscription[] | undefined;
  historyRevision: number;
}

interface HistoryRow {
  tenant: string;
  id: string;
  history: PastSubscription[];
  history_revision: number;
}

/** Reads the endpoints' histories in pieces of a bounded size; an endpoint that is gone has an empty one. */
export const createReadHistories = (postgres: Query) =>
  async function* <Row extends { tenant: string; id: string; bytes: number; history_revision: number }>(
    rows: readonly Row[],
  ): AsyncGenerator<[Row, Past]> {
    for (const piece of inPieces(rows)) {
      const read = await postgres.query<HistoryRow>(
        `SELECT tenant, id, history, history_revision
           FROM endpoints
           JOIN unnest($1::text[], $2::text[]) AS wanted (tenant, id) USING (tenant, id)`,
        [piece.map(({ tenant }) => tenant), piece.map(({ id }) => id)],
      );
      const byId = new Map(read.map((row) => [`${row.tenant}/${row.id}`, row]));
      for (const row of piece) {
        const found = byId.get(`${row.tenant}/${row.id}`);
        yield [
          row,
          { history: found?.history ?? [], historyRevision: found?.history_revision ?? row.history_revision },
        ];
      }
    }
  };

/** A connection, as far as it plans. */
interface Session {
  query(text: string): Promise<unknown>;
}

/** Far longer than a plan that fits takes for the rows of one transaction. */
const slowMs = 100;
/** The time between two: a transaction can be slow for other reasons, and the plans of a session of the projector take 5 ms. */
const apartMs = 2_000;

/**
 * Lets a session plan its statements anew after it took long.
 *
 * The server plans a named statement once a session. A plan from when a table was empty reads that table whole, for each row of another, and is
 * kept until the table's statistics are made anew, a minute after it was filled. By then an outage has given `waiting` fifty thousand rows, and
 * three hundred outcomes take six seconds instead of twenty milliseconds (docs/adr/0052-plans-made-anew.md). Planned anew, the statement goes by
 * how large the table is then.
 */
export function createReplanning(nowMs = () => performance.now()) {
  const plannedAtMs = new WeakMap<Session, number>();
  return {
    /**
     * To be called before a connection goes back to its pool.
     *
     * @param takenAtMs monotonic, as `performance.now()`
     * @returns whether it can be used again
     */
    async afterUse(client: Session, takenAtMs: number): Promise<boolean> {
      const now = nowMs();
      if (now - takenAtMs < slowMs || now - (plannedAtMs.get(client) ?? -Infinity) < apartMs) return true;
      plannedAtMs.set(client, now);
      return client.query('DISCARD PLANS').then(
        () => true,
        () => false,
      );
    },
  };
}

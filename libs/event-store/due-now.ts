/** When a row of `waiting` that may go at once is due. One due at infinity keeps its place in its order, an overdue one its place before the others. */
export const dueNow = (row: string): string =>
  `CASE WHEN isfinite(${row}.due_at) THEN least(${row}.due_at, clock_timestamp()) ELSE ${row}.due_at END`;

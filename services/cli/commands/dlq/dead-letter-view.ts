/** A dead letter as in lists. */
export interface DeadLetter extends Record<string, unknown> {
  last_outcome: string | null;
  last_http_status: number | null;
}

/** The columns of a table of dead letters: those that tell most stand first. */
export const deadLetterColumns = [
  ...['id', 'at', 'last', 'reason', 'attempts', 'stage', 'event_type', 'event_id', 'endpoint_id', 'status'],
];

export const deadLetterRow = (deadLetter: DeadLetter) => ({ ...deadLetter, last: lastOf(deadLetter) });

/** The receiver's last outcome: `HTTP 500`, `timeout`; null where nothing was sent. */
const lastOf = ({ last_outcome: outcome, last_http_status: status }: DeadLetter): string | null =>
  status === null || status === undefined ? outcome : `HTTP ${status}`;

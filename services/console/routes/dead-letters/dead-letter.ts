/** A dead letter of the API: the fields that pages show. */
export interface DeadLetter {
  id: string;
  stage: string;
  reason: string;
  attempts: number;
  at: string;
  origin: string;
  generation: number;
  event_id: string | null;
  delivery_id: string | null;
  endpoint_id: string | null;
  source_id: string | null;
  event_type: string | null;
  last_outcome: string | null;
  last_http_status: number | null;
  last_detail: string | null;
  status: 'dead' | 'replaying' | 'replayed';
  replay_id: string | null;
  replayed_at: string | null;
  /** The delivery that its last replay has sent. */
  replayed_delivery: { id: string; status: string } | null;
  shortened: boolean;
  original_bytes: number | null;
  original_sha256: string | null;
}

export interface WholeDeadLetter extends DeadLetter {
  key: string | null;
  headers: Readonly<Record<string, string | readonly string[]>>;
  payload_encoding: 'json' | 'base64' | null;
  /** Only where it is base64; JSON is shown as it came. */
  payload: unknown;
}

/** The last attempt's outcome, in a few words; undefined if nothing was sent. */
export function lastOutcome({ last_outcome: outcome, last_http_status: status }: DeadLetter): string | undefined {
  if (status !== null) return `HTTP ${status}`;
  switch (outcome) {
    case null:
      return undefined;
    case 'timeout':
      return 'no answer in time';
    case 'connect':
      return 'no connection';
    case 'tls':
      return 'TLS failed';
    case 'blocked':
      return 'address not allowed';
    default:
      return outcome.replaceAll('_', ' ');
  }
}

/** Where it was dead-lettered. */
export const stageWords: Readonly<Record<string, string>> = {
  dedup: 'accepting the webhook',
  'fan-out': 'choosing the endpoints',
  dispatcher: 'sending to the endpoint',
  projector: 'writing to the database',
};

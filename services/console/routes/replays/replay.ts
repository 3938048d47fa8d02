/** A replay of the API. */
export interface Replay {
  id: string;
  status: 'queued' | 'running' | 'sent' | 'completed' | 'partial' | 'cancelled';
  operation: 'replay_events' | 'retry_deliveries' | 'cancel_deliveries' | null;
  matched: number;
  left_out: number;
  replayed: number;
  failed: number;
  remaining: number;
  /** The deliveries of what was sent; null: an earlier version has sent it, and nobody knows. */
  outcome: { delivered: number; waiting: number; dead_lettered: number; cancelled: number } | null;
  /** As it was asked for. */
  request: Readonly<Record<string, unknown>>;
  rate_per_second: number | null;
  created_at: string;
  sent_at: string | null;
  ended_at: string | null;
}

export interface ReplayProgress extends Replay {
  /** Earlier ones that must end first. */
  ahead: number;
  /** How many failed, by reason. */
  failures: Readonly<Record<string, number>>;
}

export interface ReplayItem {
  item: number;
  status: string;
  reason: string | null;
  dead_letter_id: string | null;
  event_id: string | null;
  endpoint_id: string | null;
  delivery_id: string | null;
  generation: number;
  /** Where its delivery stands; null: it has none, or is not sent. */
  outcome: string | null;
}

/** Items are still to be sent: it can be cancelled. */
export const isUnderWay = ({ status }: Pick<Replay, 'status'>): boolean => status === 'queued' || status === 'running';

/** Something of it may change. */
export const isOpen = (replay: Replay): boolean => isUnderWay(replay) || (replay.outcome?.waiting ?? 0) > 0;

/** The replay's title. */
export function replayTitle({ operation, request }: Replay): string {
  switch (operation) {
    case 'replay_events':
      return 'Replay of events';
    case 'retry_deliveries':
      return 'Retry of deliveries';
    case 'cancel_deliveries':
      return 'Cancellation of deliveries';
    case null:
      if ('test' in request) return 'Test of an endpoint';
      if ('delivery_id' in request) return 'Retry of a delivery';
      return 'event_id' in request ? 'Replay of an event' : 'Replay of dead letters';
  }
}

/** The word for an item that is done: `26 sent`. */
export const doneWord = ({ operation }: Replay): string =>
  operation === 'cancel_deliveries'
    ? 'asked to be cancelled'
    : operation === 'retry_deliveries'
      ? 'made due or sent'
      : 'sent';

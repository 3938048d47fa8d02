import type { Html } from '#lib/html';
import { statusBadge } from '../../parts/status-badge.ts';
import type { DeadLetter } from '../../routes/dead-letters/dead-letter.ts';

/** A dead letter that was replayed says what became of it, since that it was sent is no end. */
export function deadLetterBadge({
  status,
  replayed_delivery: delivery,
}: Pick<DeadLetter, 'status' | 'replayed_delivery'>): Html {
  if (status !== 'replayed' || delivery === null) return statusBadge(status);
  switch (delivery.status) {
    case 'delivered':
      return statusBadge(status, 'replayed, delivered');
    case 'dead_lettered':
      return statusBadge(status, 'replayed, dead again', 'bad');
    case 'cancelled':
      return statusBadge(status, 'replayed, cancelled', 'idle');
    default:
      return statusBadge(status, 'replayed, waits', 'busy');
  }
}

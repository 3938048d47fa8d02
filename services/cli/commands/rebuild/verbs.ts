import { timeForms } from '../../options/read-time.ts';
import { flag, text, verb } from '../../verb.ts';

export const rebuild = {
  dedup: verb({
    summary: 'Restore the deduplication keys after a restore or failover of Postgres',
    description:
      'Restores rows of the table `dedup_keys` that were lost with the database. Reads `events`, and writes a row for each event of a webhook whose key has none: the webhook is known again, so that a repetition of it becomes no second event. Events that were erased are left out. Safe to repeat. Stop dedup meanwhile: what it accepts before its rows are back may be a second event of a webhook.',
    options: {
      since: text('TIME', `ignore records written before this time (default: read all): ${timeForms}`),
      'dry-run': flag('count, and change nothing'),
    },
    run: async (values, _given, context) => (await import('./rebuild-dedup.ts')).rebuildDedup(values, context),
  }),
  waiting: verb({
    summary: 'Restore the rows of waiting deliveries after a failover of Postgres',
    description:
      'Restores rows of the table `waiting` that were lost in a failover of Postgres to a lagging replica. Reads `delivery.attempts`, and writes a row for each delivery whose newest step waits for a retry or for room and that has no row. Deliveries that have ended or moved on are left alone. Safe beside running services, and safe to repeat.\n\nDeliveries of ordered endpoints without a row are listed (ordered_without_row) and not restored: their place in the order is lost with the row. The runbook says how to restart them.\n\nExits 1 if there are such deliveries, or rows whose event is missing from the tables (without_event).',
    options: {
      since: text(
        'TIME',
        `ignore records written before this time (default: read all; some 300 bytes of memory a delivery): ${timeForms}`,
      ),
      'dry-run': flag('count, and change nothing'),
    },
    run: async (values, _given, context) => (await import('./rebuild-waiting.ts')).rebuildWaiting(values, context),
  }),
};

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  deliveryCounts,
  deliveryStatuses,
  finalStatuses,
  isFinal,
  openStatuses,
  readSchema,
  statusesOfCount,
} from '#lib/contract';
import { hasNotEnded, isOpen, sqlStatus } from '#lib/event-store';

const folder = join(import.meta.dirname, '../../../deploy/postgres/migrations');

/** The condition of a partial index, as the last migration that makes it has it. */
function conditionOf(index: string): string | undefined {
  const up = readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').split(/^-- Down Migration/m)[0])
    .join('\n');
  const made = up.matchAll(new RegExp(`CREATE INDEX ${index} ON [^;]*?WHERE ([^;]+);`, 'g'));
  return [...made].at(-1)?.[1]?.replace(/\s+/g, ' ');
}

describe('a partial index is used, since its condition is the one of the statements:', () => {
  test.each([
    ['deliveries_open', isOpen('status')],
    ['deliveries_to_cancel', `cancel_requested AND ${isOpen('status')}`],
    ['events_without_deliveries', `status = ${sqlStatus('received')}`],
  ])('%s', (index, condition) => expect(conditionOf(index)).toBe(condition));
});

test('a status of a delivery is open or final, and in one count of its event', () => {
  expect(deliveryStatuses.filter((status) => !isFinal(status))).toEqual(openStatuses);
  expect(deliveryCounts.flatMap(statusesOfCount).sort()).toEqual([...deliveryStatuses].sort());
  expect(hasNotEnded('d.status')).toBe(`d.status NOT IN (${finalStatuses.map(sqlStatus).join(', ')})`);
});

test('the Avro schema of attempts has every status of a delivery', () => {
  expect(JSON.stringify(readSchema('delivery.attempts'))).toContain(JSON.stringify(deliveryStatuses));
});

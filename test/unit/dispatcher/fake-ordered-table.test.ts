import type { DeliveryStatus } from '#lib/contract';
import type { DueRow } from '../../../services/dispatcher/waiting/waiting-table.ts';
import { type OrderedTables, orderedTableConformance } from '../../support/ordered-table-conformance.ts';
import { createFakeOrderedTable } from './fake-ordered-table.ts';
import { startMicros } from './fixtures.ts';

function createTables(): OrderedTables {
  const waiting = new Map<string, DueRow>();
  const known = new Map<string, { step: number; status: DeliveryStatus }>();
  return {
    ordered: createFakeOrderedTable({ waiting, known, nowMicros: () => startMicros }),
    rows: async () => [...waiting.values()],
    addDelivery: async (id, delivery) => void known.set(id, delivery),
    async clear() {
      waiting.clear();
      known.clear();
    },
  };
}

describe('the ordered rows in memory, as simulations have them', () => {
  const tables = createTables();
  orderedTableConformance(() => tables, { numRuns: 300 });
});

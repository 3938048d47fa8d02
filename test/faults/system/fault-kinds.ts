import type { FaultKind } from './fault-kind.ts';
import { brokerFaults } from './faults/brokers.ts';
import { clockFaults } from './faults/clocks.ts';
import { linkFaults } from './faults/links.ts';
import { lockFaults } from './faults/locks.ts';
import { processFaults } from './faults/processes.ts';
import { starvationFaults } from './faults/starvation.ts';
import { storeFaults } from './faults/stores.ts';

/** Everything that a run may do to the system. */
export const faultKinds: readonly FaultKind[] = [
  ...processFaults,
  ...clockFaults,
  ...brokerFaults,
  ...storeFaults,
  ...linkFaults,
  ...lockFaults,
  ...starvationFaults,
];

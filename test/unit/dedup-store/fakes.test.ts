import { createManualClock } from '#lib/runtime';
import { createFakeKeyMemory } from './fake-key-memory.ts';
import { createFakeKeyTable } from './fake-key-table.ts';
import { describeKeyMemory } from './key-memory-conformance.ts';
import { describeKeyTable } from './key-table-conformance.ts';

describeKeyTable('fake', () => {
  const clock = createManualClock();
  return { table: createFakeKeyTable(clock.nowMs), now: () => clock.nowMs() * 1000 };
});

describeKeyMemory('fake', () => {
  const clock = createManualClock();
  return { memory: createFakeKeyMemory(clock.nowMs), now: () => clock.nowMs() * 1000, pass: (ms) => clock.advance(ms) };
});

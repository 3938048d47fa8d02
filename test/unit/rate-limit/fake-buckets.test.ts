import { createManualClock } from '#lib/runtime';
import { describeBuckets } from './buckets-conformance.ts';
import { createFakeServer } from './fake-buckets.ts';

describeBuckets('fake', () => {
  const clock = createManualClock();
  const server = createFakeServer(clock);
  return { buckets: server.buckets, pass: (ms) => clock.advance(ms) };
});

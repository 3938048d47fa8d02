/**
 * A jest sequencer. On a machine that has not run the tests yet, jest sorts files by size; here the slowest files begin first, so that none
 * is left over at the end.
 */
import { createRequire } from 'node:module';
import type * as TestSequencer from '@jest/test-sequencer';

// Its types are of a CommonJS module whose default export is not the imported class.
const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer') as typeof TestSequencer.default;

type Tests = Parameters<InstanceType<typeof Sequencer>['sort']>[0];

/** The slowest first, each with the reason. Most of their time is waiting. */
const slowest: readonly string[] = [
  // Every page in a browser, and 2,000 live events in 30 s: 125 s.
  'test/e2e/console-browser.test.ts',
  // Three brokers are killed and started again, one by one and together: 155 s alone on two cores.
  'test/integration/kafka/conformance.test.ts',
  // 36 deaths at crash points; after each a group waits for its dead member: 100 s.
  'test/e2e/github-payloads-with-kills.test.ts',
  // Consumers that hear nothing are replaced after seconds: 99 s.
  'test/integration/kafka/rebuild.test.ts',
  // The pipeline is stopped and started three times: 95 s.
  'test/e2e/restore.test.ts',
  // Redis and Postgres hang, processes die: 93 s.
  'test/integration/dedup/service.test.ts',
  // Every page of the console; Postgres and the API are away, services restarted: 85 s.
  'test/e2e/console.test.ts',
  // Leases run out: 60 s.
  'test/integration/idempotency/stores.test.ts',
  // 4,000 webhooks through four kinds of faults: 54 s.
  'test/e2e/receiving-faults.test.ts',
  // Heads of ordering keys fail, and are retried: 48 s.
  'test/integration/dispatcher/ordered.test.ts',
  // 48 kills of two apis: 45 s.
  'test/e2e/idempotency-faults.test.ts',
  // One process with all services dies, and is started again: 38 s.
  'test/e2e/one-process.test.ts',
];

export default class LongestFirst extends Sequencer {
  override async sort(tests: Tests): Promise<Tests> {
    const place = (path: string): number => {
      const found = slowest.findIndex((file) => path.endsWith(`/${file}`));
      return found < 0 ? slowest.length : found;
    };
    // Stable: the others stay in jest's own order.
    return (await super.sort(tests)).sort((one, other) => place(one.path) - place(other.path));
  }
}

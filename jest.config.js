/**
 * Projects by what they need: `unit` nothing, `integration` the servers (Kafka, Redis, Postgres, registry), `e2e` the servers and the
 * services as processes; they are started once per run by test/support/start-servers.ts and shared through a file. `system-faults` has
 * servers of its own and needs the machine for itself: it is run after all others.
 */
import { availableParallelism } from 'node:os';

/** Each has some of the databases of Redis (test/e2e/own-pipeline.ts). */
const mostWorkers = 12;

const common = {
  // Tests load what production loads, by Node's own loader: docs/adr/0038-tests-load-native-modules.md.
  runtime: '<rootDir>/test/jest/native-runtime.ts',
  testEnvironment: '<rootDir>/test/jest/native-environment.ts',
  testRunner: '<rootDir>/test/jest/measured-file.ts',
  transform: {},
};

const withServers = {
  ...common,
  globalSetup: '<rootDir>/test/support/start-servers.ts',
  globalTeardown: '<rootDir>/test/support/stop-servers.ts',
};

const systemFaults = 'test/e2e/system-faults.test.ts';

export default {
  // Most of a test that uses servers is waiting: more at once than there are cores, and then a busy machine is no failure.
  maxWorkers: Math.min(mostWorkers, 2 * availableParallelism()),
  // A worker that has grown beyond this is replaced. With a limit, jest also never runs tests in its own process, whose globals they'd share.
  workerIdleMemoryLimit: '1GB',
  testSequencer: '<rootDir>/test/jest/longest-first.ts',
  // What hangs is told sooner by its own wait. A test that takes ten seconds by itself takes a minute beside other work.
  testTimeout: 900_000,
  reporters: ['default', '<rootDir>/test/jest/failures-at-once.ts', '<rootDir>/test/jest/keep-times.ts'],
  projects: [
    { ...common, displayName: 'unit', testMatch: ['<rootDir>/test/unit/**/*.test.ts'] },
    { ...withServers, displayName: 'integration', testMatch: ['<rootDir>/test/integration/**/*.test.ts'] },
    {
      ...withServers,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/e2e/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', systemFaults],
    },
    { ...common, displayName: 'system-faults', testMatch: [`<rootDir>/${systemFaults}`] },
  ],
};

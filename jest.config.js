/**
 * Projects by what they need, and by their lane. By day: `unit` needs nothing, `integration` the servers (Kafka, Redis, Postgres, registry),
 * `e2e` the servers and the services as processes. By night, the files called `*.night.test.ts`: `night` as these, and `system-faults`, which
 * has servers of its own and the machine for itself. The servers are started once per run by test/support/start-servers.ts and shared.
 */
import { availableParallelism } from 'node:os';

/** Each has some of the databases of Redis (test/e2e/own-pipeline.ts). */
const mostWorkers = 12;
/**
 * A test that uses servers waits for most of its time: with fewer at once, half of the processor is idle. Many more starve each other's processes,
 * as so many do on a machine that is slow just now (`make test` says how fast it is).
 */
const workersOfProcessor = 2.5 * Math.min(1, Number(process.env.HOOKLINE_MACHINE_SPEED ?? 1));

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

const night = '.night.test.ts';
const systemFaults = 'test/e2e/system-faults.night.test.ts';

const byDay = { testPathIgnorePatterns: ['/node_modules/', '\\.night\\.test\\.ts$'] };

export default {
  maxWorkers: Math.max(2, Math.min(mostWorkers, Math.ceil(workersOfProcessor * availableParallelism()))),
  // A worker that has grown beyond this is replaced. With a limit, jest also never runs tests in its own process, whose globals they'd share.
  workerIdleMemoryLimit: '1GB',
  testSequencer: '<rootDir>/test/jest/longest-first.ts',
  // What hangs is told sooner by its own wait. A test that takes ten seconds by itself takes a minute beside other work.
  testTimeout: 900_000,
  reporters: ['default', '<rootDir>/test/jest/failures-at-once.ts', '<rootDir>/test/jest/keep-times.ts'],
  projects: [
    { ...byDay, ...common, displayName: 'unit', testMatch: ['<rootDir>/test/unit/**/*.test.ts'] },
    { ...byDay, ...withServers, displayName: 'integration', testMatch: ['<rootDir>/test/integration/**/*.test.ts'] },
    { ...byDay, ...withServers, displayName: 'e2e', testMatch: ['<rootDir>/test/e2e/**/*.test.ts'] },
    {
      ...withServers,
      displayName: 'night',
      testMatch: [`<rootDir>/test/**/*${night}`],
      testPathIgnorePatterns: ['/node_modules/', systemFaults],
    },
    { ...common, displayName: 'system-faults', testMatch: [`<rootDir>/${systemFaults}`] },
  ],
};

/**
 * Three projects, by what they need: `unit` nothing, `integration` the servers (Kafka, Redis, Postgres, registry), `e2e` the servers and
 * the five services as processes. The servers are started once per run by test/support/start-servers.ts and shared through a file.
 */
const common = {
  testEnvironment: 'node',
  transform: {
    '^.+\\.[tj]s$': [
      '@swc/jest',
      {
        jsc: { target: 'es2024', parser: { syntax: 'typescript' } },
        module: { type: 'commonjs' },
        sourceMaps: 'inline',
      },
    ],
  },
  // ES modules, which jest's CommonJS can't load as they stand.
  transformIgnorePatterns: ['node_modules/(?!(node-pg-migrate|cookie|@seriousme/openapi-schema-validator)/)'],
};

const withServers = {
  ...common,
  globalSetup: '<rootDir>/test/support/start-servers.ts',
  globalTeardown: '<rootDir>/test/support/stop-servers.ts',
};

export default {
  projects: [
    { ...common, displayName: 'unit', testMatch: ['<rootDir>/test/unit/**/*.test.ts'] },
    { ...withServers, displayName: 'integration', testMatch: ['<rootDir>/test/integration/**/*.test.ts'] },
    { ...withServers, displayName: 'e2e', testMatch: ['<rootDir>/test/e2e/**/*.test.ts'] },
  ],
};

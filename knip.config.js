/** `knip` (in `npm run lint`): files and exports that nothing imports, packages that nothing uses, circles of imports. */
export default {
  entry: [
    'services/*/main.ts',
    // Run by browsers.
    'services/console/islands/*.ts',
    // Started by the Makefile, by deploy/local/setup.sh, by one another, or in a container.
    'deploy/local/**/{down,logs,run-smoke,supervise,test-servers,up}.ts',
    'deploy/local/**/packages-match.js',
    'deploy/docker/health-check.ts',
    'deploy/k8s/check/main.ts',
    // Started by tests and benches as processes of their own.
    'test/bench/{record-batch,receiving/serve,soak/try-leaks}.ts',
    'test/bench/{receiving,sending,tracing,turns}/{*-process,probe}.ts',
    'test/bench/peers/traffic/process.ts',
    'test/faults/**/*-process.ts',
    'test/integration/idempotency/server.ts',
    'test/support/{container-servers,hosted-part,hosted-services,serve-and-fail,load/send-load}.ts',
  ],
  project: ['{services,libs,deploy,test}/**/*.{ts,js}', '*.js'],
  include: ['files', 'dependencies', 'unlisted', 'binaries', 'unresolved', 'exports', 'types', 'duplicates', 'cycles'],
  rules: { cycles: 'error' },
  ignoreBinaries: ['openssl', 'script', 'tail'],
  // Parts of jest.
  ignoreDependencies: ['@jest/reporters', '@jest/test-sequencer'],
};

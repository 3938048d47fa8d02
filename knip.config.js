/** `knip` (in `npm run lint`): files and exports that nothing imports, packages that nothing uses, circles of imports. */
export default {
  entry: [
    'services/*/main.ts',
    // What the package exports, and its build.
    'packages/{client,receiver}/src/index.ts',
    'packages/receiver/build.ts',
    // Run by browsers.
    'services/console/islands/*.ts',
    // Started by the Makefile, by deploy/local/setup.sh, by one another, or in a container.
    'deploy/local/**/{down,logs,run-demo,run-smoke,supervise,test-servers,up}.ts',
    'deploy/local/**/packages-match.js',
    'deploy/docker/health-check.ts',
    'test/support/console/take-pictures.ts',
    'deploy/k8s/check/main.ts',
    // Started by their test, in a copy that has the package installed.
    'test/e2e/examples/*/*.js',
    // Started by tests and benches as processes of their own.
    'test/{faults/prove/main,images/main,lanes/{measure,nightly,record,titles}}.ts',
    'test/unit/jest/fixtures/{first,second,dies}.ts',
    'test/unit/jest/fixtures/jest.config.js',
    'test/bench/{record-batch,receiving/serve,soak/try-leaks}.ts',
    'test/bench/{receiving,sending,tracing,turns}/{*-process,probe}.ts',
    'test/bench/peers/traffic/process.ts',
    'test/bench/traffic/load-process.ts',
    'test/faults/**/*-process.ts',
    'test/integration/idempotency/server.ts',
    'test/support/{container-servers,hosted-part,hosted-services,serve-and-fail,load/send-load}.ts',
    // Named by jest.config.js in an option that knip doesn't know.
    'test/jest/measured-file.ts',
  ],
  project: ['{services,libs,packages,deploy,test}/**/*.{ts,js}', '*.js'],
  include: ['files', 'dependencies', 'unlisted', 'binaries', 'unresolved', 'exports', 'types', 'duplicates', 'cycles'],
  rules: { cycles: 'error' },
  ignoreBinaries: ['go', 'openssl', 'script', 'tail'],
  // Parts of jest; our own package, as the examples import it; a document that a test reads by its path.
  ignoreDependencies: [
    '@jest/fake-timers',
    '@jest/reporters',
    '@jest/test-sequencer',
    'jest-mock',
    '@hookline/receiver',
    '@octokit/openapi-webhooks',
  ],
};

import { root } from '#deploy/local/paths.ts';
import startServers from '../../support/start-servers.ts';
import stopServers from '../../support/stop-servers.ts';
import type { Bench } from './bench.ts';

/** Has Kafka, Redis, Postgres and the registry there for as long as the bench takes: those that tests have. */
export const onTestServers =
  <Number extends string>(run: Bench<Number>['run']): Bench<Number>['run'] =>
  async (begun) => {
    await startServers({ rootDir: root });
    try {
      return await run(begun);
    } finally {
      await stopServers();
    }
  };

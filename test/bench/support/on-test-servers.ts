import { root } from '#deploy/local/paths.ts';
import { holdDurableServers } from '../../support/start-servers.ts';
import { releaseServers } from '../../support/stop-servers.ts';
import type { Bench } from './bench.ts';

/** Starts Kafka, Redis, Postgres and the registry for the bench, as `make up` does; or uses given ones. */
export const onTestServers =
  <Number extends string>(run: Bench<Number>['run']): Bench<Number>['run'] =>
  async (begun) => {
    if (process.env.HOOKLINE_TEST_SERVERS !== undefined) return run(begun);
    const held = holdDurableServers(root);
    process.env.HOOKLINE_TEST_SERVERS = await held.file;
    try {
      return await run(begun);
    } finally {
      delete process.env.HOOKLINE_TEST_SERVERS;
      await releaseServers(held);
    }
  };

/**
 * The poll checker at length, with two processes of the API, over servers of its own:
 * `npm run -s poll-run [-- --changes 100000 --seed 1]`. Exit code 1 on any fault.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { createPostgres } from '#lib/postgres';
import { silentLogger } from '#lib/runtime';
import startServers from '../../../support/start-servers.ts';
import stopServers from '../../../support/stop-servers.ts';
import { adminKey } from '../../../unit/api/build-test-app.ts';
import { createEvidenceRecorder } from '../../../evidence/evidence.ts';
import { thousands } from '../../../support/thousands.ts';
import { createWorld } from '../../dispatcher/world.ts';
import { checkPolling, faultsOf } from './check-polling.ts';
import { installSteppedClock } from './stepped-clock.ts';

const { values } = parseArgs({
  options: {
    changes: { type: 'string', default: '100000' },
    tenants: { type: 'string', default: '12' },
    polled: { type: 'string', default: '4' },
    limits: { type: 'string', default: '2,10,1000' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    record: { type: 'boolean', default: false },
  },
});
const record = createEvidenceRecorder('poll-run', values.record);
const [changes, tenants, polled, seed] = [values.changes, values.tenants, values.polled, values.seed].map(Number) as [
  number,
  number,
  number,
  number,
];
const writers = 8;
const apis = 2;
/** One that stands still holds up all who meet it for five seconds. */
const changesAStandStill = 5_000;

await startServers({ rootDir: join(import.meta.dirname, '../../../..') });
const world = await createWorld('polled');
const database = new URL(world.databaseUrl).pathname.slice(1);
// No power cut is tested here.
await world.postgres.query(`ALTER DATABASE ${database} SET synchronous_commit = off`);
await installSteppedClock(world.postgres, database);
const ports = await freePorts(apis);
for (const port of ports) {
  const api = await world.spawnService('api', {
    HOOKLINE_ADMIN_KEY: adminKey,
    HOOKLINE_API_PORT: String(port),
    HOOKLINE_LOG_LEVEL: 'warn',
  });
  await api.ready(60_000);
}
const postgres = createPostgres({
  url: world.databaseUrl,
  applicationName: 'poll-check',
  maxConnections: writers + 2,
  statementTimeoutMs: 60_000,
  isPipelined: true,
  log: silentLogger,
});
const sum = await checkPolling({
  postgres,
  urls: ports.map((port) => `http://127.0.0.1:${port}`),
  name: 'polled',
  changes,
  seed,
  tenants,
  polled,
  writers,
  publishers: 2,
  limits: values.limits.split(',').map(Number),
  factsAtOnce: 40,
  standStills: Math.ceil(changes / changesAStandStill),
  clockSteps: true,
});
const faults = faultsOf(sum);
process.stdout.write(`${JSON.stringify({ seed, ...sum, faults }, undefined, 2)}\n`);
const { forward, back } = sum.clockSteps;
record(
  `${thousands(sum.changes)} changes by ${writers} writers, ${thousands(sum.requests)} requests by ${sum.pollers} pollers, the clock set ${thousands(forward + back)} times: ${faults.length === 0 ? '0 missed, 0 out of order' : `**missed**: ${faults.join('; ')}`}; ` +
    `${((sum.writingMs + sum.followingMs) / 60_000).toFixed(1)} minutes`,
);
process.exitCode = faults.length > 0 ? 1 : 0;
await postgres.start();
await postgres.stop();
await world.stop();
await stopServers();

/** The poll checker at length, over servers of its own: `npm run -s poll-run [-- --changes 100000]`. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import startServers from '../../support/start-servers.ts';
import stopServers from '../../support/stop-servers.ts';
import { checkPolling } from './poll-checker.ts';
import { openPollingApi } from './polling-api.ts';

const { values } = parseArgs({
  options: {
    changes: { type: 'string', default: '100000' },
    tenants: { type: 'string', default: '4' },
    limits: { type: 'string', default: '2,3,10,100,1000' },
  },
});

await startServers({ rootDir: join(import.meta.dirname, '../../..') });
const api = await openPollingApi({ maxConnections: 24, maxHeldPerCredential: 1_000, maxHeld: 1_000 });
const sum = await checkPolling(api, {
  name: 'polled',
  changes: Number(values.changes),
  tenants: Number(values.tenants),
  limits: values.limits.split(',').map(Number),
  factsAtOnce: 40,
});
process.stdout.write(`${JSON.stringify(sum, undefined, 2)}\n`);
const isWrong = sum.stuck.length + Object.keys(sum.failed).length + Object.keys(sum.outOfOrder).length > 0;
process.exitCode = isWrong || Object.values(sum.missed).some((missed) => missed > 0) ? 1 : 0;
await api.close();
await stopServers();

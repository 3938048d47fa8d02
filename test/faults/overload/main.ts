/**
 * `make overload ARGS='--seconds 150 --factor 10'`: the pipeline on servers of its own, ten times what it can take, added up. Exits with 1
 * where anything that is promised did not hold. With HOOKLINE_TEST_SERVERS it uses those servers.
 */
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createPipeline } from '../../support/pipeline.ts';
import { createDatabase, serverAddresses, uniquePrefix } from '../../support/servers.ts';
import { holdServers } from '../../support/start-servers.ts';
import { releaseServers } from '../../support/stop-servers.ts';
import { overload } from './overload.ts';
import { formatResult } from './result.ts';

const say = (line: string): void => console.log(line);

const { values } = parseArgs({
  options: {
    // In the first minute or so V8's heaps still grow to the size at which they stay.
    seconds: { type: 'string', default: '150' },
    factor: { type: 'string', default: '10' },
    senders: { type: 'string', default: '1' },
    connections: { type: 'string', default: '512' },
    'body-bytes': { type: 'string', default: '2000' },
    'tolerance-ms': { type: 'string', default: '250' },
  },
});
const [seconds = 0, factor = 0, senders = 0, connections = 0, bodyBytes = 0, toleranceMs = -1] = [
  values.seconds,
  values.factor,
  values.senders,
  values.connections,
  values['body-bytes'],
  values['tolerance-ms'],
].map(Number);
if (!seconds || !factor || !senders || !connections || !bodyBytes || !(toleranceMs >= 0)) {
  console.error('usage: --seconds N --factor N --senders N --connections N --body-bytes N --tolerance-ms N');
  process.exit(2);
}

say(
  `machine: ${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
);
say(
  'set-up: five services, Kafka (one broker, 3 partitions), Redis, Postgres, registry and the senders on this machine',
);
say(`webhooks of ${bodyBytes} bytes, signed, over ${connections} connections`);

const held =
  process.env.HOOKLINE_TEST_SERVERS === undefined ? holdServers(join(import.meta.dirname, '../../..')) : undefined;
if (held !== undefined) process.env.HOOKLINE_TEST_SERVERS = await held.file;
try {
  const pipeline = await createPipeline({
    servers: serverAddresses(),
    topicPrefix: uniquePrefix('overload'),
    databaseUrl: await createDatabase(),
  });
  try {
    await pipeline.start();
    const result = await overload({ pipeline, seconds, factor, senders, connections, bodyBytes, toleranceMs, say });
    say(formatResult(result));
    pipeline.assertNoSurprise();
    process.exitCode = result.violations.length === 0 ? 0 : 1;
  } finally {
    await pipeline.stop();
  }
} finally {
  if (held !== undefined) await releaseServers(held);
}

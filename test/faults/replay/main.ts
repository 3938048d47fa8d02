/**
 * `make replay-run ARGS='--letters 10000 --rate 500'`: run.ts on servers of its own. Exits with 1 where anything does not add up. With
 * HOOKLINE_TEST_SERVERS it uses those servers.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createPipeline } from '../../support/pipeline.ts';
import { createDatabase, serverAddresses, uniquePrefix } from '../../support/servers.ts';
import { holdServers } from '../../support/start-servers.ts';
import { releaseServers } from '../../support/stop-servers.ts';
import { violationsOf } from './judge.ts';
import { replayServices, runReplays } from './run.ts';

const say = (line: string): void => console.log(line);

const { values } = parseArgs({
  options: { letters: { type: 'string', default: '10000' }, rate: { type: 'string', default: '500' } },
});
const [letters, perSecond] = [Number(values.letters), Number(values.rate)];
if (!(letters >= 100) || letters % 20 !== 0 || !(perSecond > 0)) {
  console.error('usage: --letters N (100 or more, by 20) --rate N');
  process.exit(2);
}

const malformed = 20;
const held =
  process.env.HOOKLINE_TEST_SERVERS === undefined ? holdServers(join(import.meta.dirname, '../../..')) : undefined;
if (held !== undefined) process.env.HOOKLINE_TEST_SERVERS = await held.file;
try {
  const pipeline = await createPipeline({
    servers: serverAddresses(),
    topicPrefix: uniquePrefix('replay'),
    databaseUrl: await createDatabase(),
    services: replayServices,
  });
  try {
    await pipeline.start();
    const result = await runReplays({ pipeline, letters, malformed, perSecond, timeoutMs: 300_000, say });
    pipeline.assertNoSurprise();
    const violations = violationsOf(result, { malformed });
    say(JSON.stringify(result, null, 2));
    say(violations.length === 0 ? 'everything adds up' : violations.join('\n'));
    process.exitCode = violations.length === 0 ? 0 : 1;
  } catch (error) {
    say(pipeline.describe());
    throw error;
  } finally {
    await pipeline.stop();
  }
} finally {
  if (held !== undefined) await releaseServers(held);
}

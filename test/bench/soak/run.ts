/**
 * `npm run -s soak -- --minutes 60 [--per-second N] [--every 10] [--seed N] [--node-options TEXT]
 * [--record]`, or `--from <soak.json> --record`: what an earlier run has found. `--record` keeps it for docs/soak.md and docs/evidence.md.
 * Servers and processes of its own; exit 1 on any violation, 2 for a wrong call.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hooklineDir, root } from '#deploy/local/paths.ts';
import { withPipeline } from '../../faults/support/with-pipeline.ts';
import { startOwnRedis } from '../../integration/dedup/redis-server.ts';
import { createDatabase, serverAddresses, uniquePrefix } from '../../support/servers.ts';
import { testedCommit } from '../../support/tested-commit.ts';
import startServers from '../../support/start-servers.ts';
import stopServers from '../../support/stop-servers.ts';
import { fewestSamples, warmUpShare } from './judge.ts';
import type { SoakReport } from './report.ts';
import { formatResult } from './result.ts';
import { soak } from './soak.ts';
import { recordSoak } from './recorded.ts';

/** V8's own choice in a container of 512 MiB. By the memory of a large machine it would put collections off for many minutes. */
const containerOptions = '--max-semi-space-size=4 --max-old-space-size=192';

const say = (line: string): void => console.log(line);
const options = readArguments();

if (options.from !== undefined) {
  recordSoak(JSON.parse(readFileSync(options.from, 'utf8')) as SoakReport, say);
  process.exit(0);
}

const startedAt = new Date();
const commit = testedCommit();
const dir = join(hooklineDir, 'soak', startedAt.toISOString().replace(/[:.]/g, '-'));
mkdirSync(dir, { recursive: true });
const [loadBefore = 0] = loadavg();
await startServers({ rootDir: root });
const redis = await startOwnRedis();
let failed: boolean;
try {
  const settings = {
    dir,
    say,
    topicPrefix: uniquePrefix('soak'),
    databaseUrl: await createDatabase(),
    servers: { ...serverAddresses(), redisUrl: redis.url },
    env: { NODE_OPTIONS: options.nodeOptions },
  };
  const result = await withPipeline(settings, (pipeline) => soak({ ...options, pipeline, redis, say }));
  const report: SoakReport = {
    startedAt: startedAt.toISOString(),
    commit,
    command: `npm run -s soak -- ${process.argv.slice(2).join(' ')}`,
    setUp: {
      node: process.version,
      cpus: `${cpus().length} × ${cpus()[0]?.model}`,
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      loadBefore,
      nodeOptions: options.nodeOptions,
    },
    minutes: options.minutes,
    everySeconds: options.everySeconds,
    seed: options.seed,
    result,
  };
  writeFileSync(join(dir, 'soak.json'), `${JSON.stringify(report)}\n`);
  say(formatResult(result));
  if (options.isRecorded) recordSoak(report, say);
  failed = result.violations.length > 0;
} finally {
  await redis.stop();
  await stopServers();
  say(`logs and samples: ${dir}`);
}
process.exit(failed ? 1 : 0);

function readArguments() {
  const usage =
    'usage: --minutes N [--per-second N] [--every SECONDS] [--seed N] [--node-options TEXT] [--record], or --from FILE --record';
  try {
    const { values } = parseArgs({
      options: {
        minutes: { type: 'string', default: '60' },
        'per-second': { type: 'string' },
        every: { type: 'string', default: '10' },
        seed: { type: 'string', default: String(Date.now() % 1_000_000) },
        record: { type: 'boolean', default: false },
        from: { type: 'string' },
        'node-options': { type: 'string', default: containerOptions },
      },
    });
    const perSecond = values['per-second'] === undefined ? undefined : Number(values['per-second']);
    const numbers = { minutes: Number(values.minutes), everySeconds: Number(values.every), seed: Number(values.seed) };
    const problems = [
      ...(numbers.minutes > 0 ? [] : ['--minutes must be above 0']),
      ...(numbers.everySeconds > 0 ? [] : ['--every must be above 0']),
      ...(Number.isNaN(numbers.seed) ? ['--seed must be a number'] : []),
      ...(perSecond === undefined || perSecond > 0 ? [] : ['--per-second must be above 0']),
      ...(values.from !== undefined && !values.record ? ['--from is for --record'] : []),
      ...tooShort(numbers.minutes, numbers.everySeconds),
    ];
    if (problems.length === 0)
      return {
        ...numbers,
        perSecond,
        isRecorded: values.record,
        from: values.from,
        nodeOptions: values['node-options'],
      };
    console.error([usage, ...problems].join('\n'));
  } catch (error) {
    console.error(`${usage}\n${(error as Error).message}`);
  }
  return process.exit(2);
}

function tooShort(minutes: number, everySeconds: number): string[] {
  const judged = Math.floor(((minutes * 60) / everySeconds) * (1 - warmUpShare));
  return judged >= fewestSamples
    ? []
    : [`${judged} samples after the warm-up are too few: ${fewestSamples} at the least`];
}

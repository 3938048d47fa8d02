/**
 * All GitHub payloads, each twice, through the local stack: `node test/e2e/run-github-payloads.ts [seed [local.env]]`. Prints the
 * counts; exits 1 where they do not add up.
 */
import { join } from 'node:path';
import { seededRandom, shuffled } from '../support/seeded-random.ts';
import { readLocalStack } from '../support/stack.ts';
import { githubPayloads } from './github-payloads.ts';
import { prepareWebhookRun } from './webhook-run.ts';

const perSecond = 100;
const drainTimeoutMs = 60_000;

const [, , givenSeed, envFile = join(import.meta.dirname, '../../.hookline/local.env')] = process.argv;
const seed = Number(givenSeed ?? Date.now() % 1_000_000);
const random = seededRandom(seed);
const stack = readLocalStack(envFile);
const run = await prepareWebhookRun(stack, { scheme: 'github', random, exclusive: false });
try {
  const payloads = githubPayloads(run.source.secret, random);
  console.log(`${payloads.length} GitHub payloads, each twice, through one source to two endpoints (seed ${seed})`);
  await run.sendAll(shuffled([...payloads, ...payloads], random), perSecond);
  const { text, violations } = await run.check(drainTimeoutMs);
  console.log(text);
  process.exitCode = violations.length === 0 ? 0 : 1;
} finally {
  await run.close();
}

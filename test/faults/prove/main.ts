/** `make prove`: the proof, for people: a line that moves while it runs, four figures at its end, exit code 1 if anything was lost or came twice. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hooklineDir } from '#deploy/local/paths.ts';
import { sessionTimeoutOfTests } from '../../support/servers.ts';
import { startFaultyServers } from '../support/servers.ts';
import { type Progress, prove } from './prove.ts';

const defaults = { seed: String(Date.now() % 1_000_000), webhooks: '2000' };
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: defaults.seed },
    webhooks: { type: 'string', default: defaults.webhooks },
  },
});
const seed = Number(values.seed);
const webhooks = Number(values.webhooks);
if (!Number.isInteger(seed) || !Number.isInteger(webhooks) || webhooks < 1) {
  console.error('usage: make prove ARGS="--seed N --webhooks N", whole numbers');
  process.exit(2);
}

const startMs = performance.now();
const isTerminal = process.stdout.isTTY;
const dir = join(hooklineDir, 'faults', `prove-${new Date().toISOString().replace(/[:.]/g, '-')}-${seed}`);
mkdirSync(dir, { recursive: true });
const number = (count: number): string => count.toLocaleString('en-US');
const lineOf = ({ sent, acknowledged, arrived, kills }: Progress): string =>
  `${((performance.now() - startMs) / 1_000).toFixed(0).padStart(4)} s  sent ${number(sent)} · acknowledged ${number(acknowledged)} · events arrived ${number(arrived)} · kills ${kills}`;
/** On a terminal one line that moves; elsewhere a line every ten seconds. */
let shownAtMs = 0;
const show = (progress: Progress): void => {
  if (isTerminal) process.stdout.write(`\r\x1b[K${lineOf(progress)}`);
  else if (performance.now() - shownAtMs >= 10_000) {
    shownAtMs = performance.now();
    console.log(lineOf(progress));
  }
};

console.log(
  `${number(webhooks)} webhooks, a fifth of them twice, through a stack of its own (Kafka, Redis, Postgres),\nwhile every service is killed, a group is rebalanced, Redis forgets everything and Postgres is restarted`,
);
const said: string[] = [];
const servers = await startFaultyServers();
try {
  const proof = await prove({
    faulty: servers,
    servers: servers.addresses,
    databaseUrl: servers.addresses.databaseUrl,
    topicPrefix: 'prove.',
    sessionTimeoutMs: sessionTimeoutOfTests,
    seed,
    webhooks,
    dir,
    say: (line) => void said.push(line),
    onProgress: show,
  });
  if (isTerminal) process.stdout.write('\r\x1b[K');
  console.log(lineOf(proof));
  for (const violation of proof.violations) console.log(`VIOLATION ${violation}`);
  console.log(
    `\nsent ${number(proof.sent)} · kills ${proof.kills} · lost ${proof.lost} · second events ${proof.secondEvents}\n\nagain: make prove ARGS='--seed ${seed}'; logs: ${dir}`,
  );
  process.exitCode = proof.violations.length === 0 ? 0 : 1;
} catch (error) {
  console.error(said.join('\n'));
  throw error;
} finally {
  await servers.close();
}
process.exit();

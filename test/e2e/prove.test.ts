import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prove } from '../faults/prove/prove.ts';
import { startFaultyServers } from '../faults/support/servers.ts';
import { sessionTimeoutOfTests } from '../support/servers.ts';

const seed = 2611;
const webhooks = 2_000;

/** The same as `make prove`. */
it(`loses nothing, and does nothing twice, of ${webhooks} webhooks while every service dies, Redis forgets and Postgres restarts`, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'hookline-prove-'));
  const lines = [`seed ${seed}, logs in ${dir}`];
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
      say: (line) => void lines.push(line),
    });
    expect(proof.violations).toEqual([]);
    expect(proof).toMatchObject({ lost: 0, secondEvents: 0 });
    expect(proof.acknowledged).toBeGreaterThanOrEqual(webhooks);
    // Each of the five at a crash point of its own.
    expect(proof.kills).toBeGreaterThanOrEqual(5);
    rmSync(dir, { recursive: true, force: true });
  } finally {
    console.log(lines.join('\n'));
    await servers.close();
  }
});

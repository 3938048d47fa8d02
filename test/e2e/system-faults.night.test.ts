import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { faultKinds } from '../faults/system/fault-kinds.ts';
import { judge } from '../faults/system/judge.ts';
import { formatKinds, formatPollers, formatResult } from '../faults/system/result.ts';
import { runSystem } from '../faults/system/run.ts';
import { startSystemServers } from '../faults/system/servers.ts';
import { sessionTimeoutOfTests } from '../support/servers.ts';

jest.setTimeout(30 * 60_000);

const seed = 2611;
const webhooks = 20_000;

/** The long form is test/faults/system, by hand. It runs alone: other tests would disturb its measurements. */
it(`loses nothing, and does nothing twice, of ${webhooks} webhooks under every kind of fault there is`, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'hookline-faults-'));
  const lines = [`seed ${seed}, logs in ${dir}`];
  const say = (line: string): void => void lines.push(line);
  const servers = await startSystemServers(seed);
  try {
    const seen = await runSystem({
      servers,
      seed,
      dir,
      webhooks,
      say,
      kinds: faultKinds,
      // Each kind once takes longer.
      minutes: 3,
      isOneRound: true,
      calmMs: 300,
      // Production's in the runs by hand.
      sessionTimeoutMs: sessionTimeoutOfTests,
    });
    const result = judge(seen);
    lines.push(formatResult(result), formatPollers(result.pollers), formatKinds(result.kinds));

    expect(result.violations).toEqual([]);
    const done = [...result.kinds.map(({ kind }) => kind), ...Object.keys(result.leftOut)];
    expect(done.sort()).toEqual(faultKinds.map(({ name }) => name).sort());
    expect(result.accepted).toBeGreaterThanOrEqual(webhooks);
    expect(result).toMatchObject({ lost: 0, secondEventIds: 0, secondEffects: 0 });
    rmSync(dir, { recursive: true, force: true });
  } finally {
    console.log(lines.join('\n\n'));
    await servers.close();
  }
});

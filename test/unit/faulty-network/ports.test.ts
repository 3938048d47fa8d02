import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const root = resolve(import.meta.dirname, '../../..');

/** All of those that are given out, but these. */
const [from, below] = [20_000, 32_768];
const left = [23_456, 29_876];

const program = `
  import { freePorts } from ${JSON.stringify(join(root, 'deploy/local/stack/free-ports.ts'))};
  import { startTcpProxy } from ${JSON.stringify(join(root, 'test/faults/network/tcp-proxy.ts'))};
  const { port, close } = await startTcpProxy({ port: 1 }, Math.random);
  await close();
  console.log(JSON.stringify([port, ...(await freePorts(1))]));
`;

test("a link's port is of those that are given out, and is nobody else's even while nobody listens on it", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-link-ports-'));
  try {
    const given = join(folder, `hookline-ports-${userInfo().uid}`);
    mkdirSync(given);
    for (let port = from; port < below; port += 1)
      if (!left.includes(port)) writeFileSync(join(given, String(port)), '');
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      env: { ...process.env, TMPDIR: folder },
    });

    expect((JSON.parse(stdout) as number[]).sort()).toEqual(left);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const program = `
  import { freePorts } from ${JSON.stringify(resolve(import.meta.dirname, '../../../deploy/local/stack/free-ports.ts'))};
  console.log(JSON.stringify(await freePorts(Number(process.argv[1]))));
`;

async function portsOfAProcess(count: number, folder: string): Promise<number[]> {
  const args = ['--input-type=module', '-e', program, String(count)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, TMPDIR: folder } });
  return JSON.parse(stdout) as number[];
}

test('no two processes are given the same port, though neither listens on it yet', async () => {
  // A folder of their own: their ports are not kept from others for half an hour.
  const folder = mkdtempSync(join(tmpdir(), 'hookline-free-ports-'));
  try {
    // By chance alone they would have one in common in nineteen of twenty runs.
    const [first, second] = await Promise.all([portsOfAProcess(200, folder), portsOfAProcess(200, folder)]);
    expect(new Set([...first, ...second]).size).toBe(400);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

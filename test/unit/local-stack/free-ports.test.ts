import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

const program = `
  import { freePorts } from ${JSON.stringify(resolve(import.meta.dirname, '../../../deploy/local/free-ports.ts'))};
  console.log(JSON.stringify(await freePorts(Number(process.argv[1]))));
`;

async function portsOfAProcess(count: number): Promise<number[]> {
  const args = ['--input-type=module', '-e', program, String(count)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as number[];
}

test('no two processes are given the same port, though neither listens on it yet', async () => {
  // By chance alone they would have one in common in nineteen of twenty runs.
  const [first, second] = await Promise.all([portsOfAProcess(200), portsOfAProcess(200)]);
  expect(new Set([...(first ?? []), ...(second ?? [])]).size).toBe(400);
});

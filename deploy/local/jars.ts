import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from './config.ts';
import { assertRoom } from './disk-room.ts';
import { StackError } from './failure.ts';
import { withLock } from './lock.ts';

const run = promisify(execFile);

export interface Jars {
  /** The folder of the broker's jars. */
  kafka: string;
  /** The folder that the registry's archive was unpacked into. */
  registry: string;
}

/** The archives in Maven's own folder, and what they unpack to. */
const leastMebibytes = 700;

export interface JarsOptions {
  pom: string;
  dir: string;
  /** Asked only where there is something to download: Maven is needed for nothing else. */
  programs: () => Promise<{ java: string; maven: string }>;
  say: (line: string) => void;
}

/**
 * Kafka and the registry, downloaded by Maven once. Their folder is named after the content of pom.xml and moved into its place when it
 * is whole: what a broken download left is never taken for complete, and a changed version never mixes with an old one.
 */
export async function provideJars(options: JarsOptions): Promise<Jars> {
  const { pom, dir, programs, say } = options;
  const hash = createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 16);
  const complete = join(dir, hash);
  const jars = { kafka: join(complete, 'kafka'), registry: join(complete, 'registry') };
  if (existsSync(complete)) return jars;
  await withLock(join(dir, 'lock'), 'downloading with Maven', async () => {
    if (existsSync(complete)) return;
    assertRoom(dir, leastMebibytes);
    say('downloading Kafka and the schema registry with Maven (about 165 MB, once)');
    const unfinished = join(dir, 'unfinished');
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
    await runMaven(await programs(), ['-B', '-ntp', '-f', pom, `-Dlib=${unfinished}`, 'package']);
    rmSync(join(unfinished, 'target'), { recursive: true, force: true });
    renameSync(unfinished, complete);
  });
  return jars;
}

async function runMaven({ java, maven }: { java: string; maven: string }, args: readonly string[]): Promise<void> {
  try {
    const env = childEnvironment({ JAVA_HOME: dirname(dirname(realpathSync(java))) });
    await run(maven, args, { env, maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    const output = `${stdout}\n${stderr}`;
    if (output.includes('No space left on device'))
      throw new StackError('the disk is full: Maven could not finish its download');
    const first = output.split('\n').find((line) => line.includes('ERROR'));
    throw new StackError(`Maven failed: ${(first ?? (error as Error).message).replace(/^.*?ERROR\S*\s*/, '')}`, {
      cause: error,
    });
  }
}

import { execFile } from 'node:child_process';
import { readFileSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '../config.ts';
import { StackError } from '../failure.ts';
import { provideFolder } from './provide-folder.ts';

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
  /** Called only if something must be downloaded: nothing else needs Maven. */
  programs: () => Promise<{ java: string; maven: string }>;
  say: (line: string) => void;
}

/** Kafka and the registry, downloaded by Maven once for each content of pom.xml. */
export async function provideJars({ pom, dir, programs, say }: JarsOptions): Promise<Jars> {
  const complete = await provideFolder({
    dir,
    madeFrom: readFileSync(pom, 'utf8'),
    doing: 'downloading with Maven',
    leastMebibytes,
    async fill(unfinished) {
      say('downloading Kafka and the schema registry with Maven (about 165 MB, once)');
      await runMaven(await programs(), pom, unfinished);
    },
  });
  return { kafka: join(complete, 'kafka'), registry: join(complete, 'registry') };
}

/** Runs the phase `package` of a POM whose plugins put what they get below `${lib}`. */
export async function runMaven(
  { java, maven }: { java: string; maven: string },
  pom: string,
  lib: string,
): Promise<void> {
  const args = ['-B', '-ntp', '-f', pom, `-Dlib=${lib}`, 'package'];
  try {
    const env = childEnvironment({ JAVA_HOME: dirname(dirname(realpathSync(java))) });
    await run(maven, args, { env, maxBuffer: 64 * 1024 * 1024 });
    rmSync(join(lib, 'target'), { recursive: true, force: true });
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

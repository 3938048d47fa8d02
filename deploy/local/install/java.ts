import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { StackError } from '../failure.ts';

const run = promisify(execFile);

/** One compiler instead of two: what runs for a second, or does little, takes half the CPU time (the registry's start 2.6 s, not 5.3). */
export const quickStart = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

/** Without it, an idle JVM samples figures for other programs twenty times a second, which nobody reads here. */
export const fewWakeUps = ['-XX:-UsePerfData'];

/** For its own memory, beside the heap: by default each of its threads gets an arena of glibc's. */
export const fewArenas = { MALLOC_ARENA_MAX: '2' };

/** A Java program that ends by itself. */
export async function runJava(java: string, args: readonly string[]): Promise<void> {
  try {
    await run(java, args);
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new StackError(`java failed: ${`${stdout}${stderr}`.trim() || (error as Error).message}`, { cause: error });
  }
}

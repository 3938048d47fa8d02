import { isAppError } from '#lib/runtime';
import { errorCode, StackError } from './failure.ts';

export const say = (line: string): void => console.log(line);

/**
 * Runs one command of the local stack: prints errors that its user can fix as one line, others with their stack.
 *
 * @param onInterrupt printed when the user interrupts it
 */
export async function runCommand(work: () => Promise<void>, onInterrupt = 'interrupted'): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      console.error(onInterrupt);
      process.exit(signal === 'SIGINT' ? 130 : 143);
    });
  }
  try {
    await work();
  } catch (error) {
    console.error(describe(error));
    process.exit(1);
  }
}

function describe(error: unknown): unknown {
  if (errorCode(error) === 'ENOSPC')
    return `the disk is full (${(error as NodeJS.ErrnoException).path ?? 'while writing'})`;
  return error instanceof StackError || isAppError(error, 'config_invalid') ? error.message : error;
}

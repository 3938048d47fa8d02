import { existsSync } from 'node:fs';
import { isAppError } from '#lib/runtime';
import { CommandFailure } from './command-failure.ts';
import { hasColour } from './config.ts';
import type { Context } from './context.ts';
import { coloured, jsonText, printableLines } from './output/print.ts';
import { runCommand } from './run-command.ts';

/**
 * The whole command: runs the call, says why it failed, and resolves with the exit code.
 *
 * @throws what is a fault of the command itself
 */
export async function run(args: readonly string[], context: Context): Promise<number> {
  const { process, env } = context;
  try {
    return await runCommand(args, context);
  } catch (error) {
    const failure = toFailure(error, context);
    const json = args.includes('--json');
    const name = hasColour(process.stderr, env) ? coloured('bad', 'hookline:') : 'hookline:';
    process.stderr.write(json ? `${jsonText(failure.facts)}\n` : `${name} ${printableLines(failure.message)}\n`);
    return failure.exitCode;
  }
}

function toFailure(error: unknown, { localEnvFile }: Context): CommandFailure {
  if (error instanceof CommandFailure) return error;
  if (isAppError(error, 'config_invalid')) {
    const hint = existsSync(localEnvFile)
      ? ''
      : '\n`make up` starts a local stack, and writes its settings to .hookline/local.env';
    return new CommandFailure(2, `invalid configuration\n${error.message.replace(/^/gm, '  ')}${hint}`);
  }
  if (isAppError(error) && error.code !== 'bug') return new CommandFailure(1, error.message);
  throw error;
}

#!/usr/bin/env node
import { isAppError } from '#lib/errors';
import { CommandFailure } from './command.ts';
import { hookline } from './commands/index.ts';
import { jsonText, printableLines } from './output.ts';

const args = process.argv.slice(2);
// Whoever reads our output may have seen enough of it.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

process.exitCode = await hookline.run(args).catch((error: unknown) => {
  const failure = toFailure(error);
  const json = args.includes('--json');
  process.stderr.write(json ? `${jsonText(failure.facts)}\n` : `hookline: ${printableLines(failure.message)}\n`);
  return failure.exitCode;
});

function toFailure(error: unknown): CommandFailure {
  if (error instanceof CommandFailure) return error;
  if (isAppError(error, 'config_invalid')) {
    return new CommandFailure(2, `the configuration is not valid\n${error.message.replace(/^/gm, '  ')}`);
  }
  if (isAppError(error) && error.code !== 'bug') return new CommandFailure(1, error.message);
  throw error;
}

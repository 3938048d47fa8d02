#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { isAppError } from '#lib/errors';
import { CommandFailure } from './command-failure.ts';
import { hasColour } from './config.ts';
import { localEnvFile } from './local-env.ts';
import { coloured } from './output/colour.ts';
import { jsonText, printableLines } from './output/print.ts';
import { runCommand } from './run-command.ts';

const args = process.argv.slice(2);
// A reader such as `head` may close the pipe when it has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

process.exitCode = await runCommand(args).catch((error: unknown) => {
  const failure = toFailure(error);
  const json = args.includes('--json');
  const name = hasColour(process.stderr) ? coloured('bad', 'hookline:') : 'hookline:';
  process.stderr.write(json ? `${jsonText(failure.facts)}\n` : `${name} ${printableLines(failure.message)}\n`);
  return failure.exitCode;
});

function toFailure(error: unknown): CommandFailure {
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

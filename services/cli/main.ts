#!/usr/bin/env node
import { isAppError } from '#lib/errors';
import * as setup from './commands/setup.ts';

/** One file a sub-command: `help`, and `run`, which answers with the exit code. */
interface Command {
  help: string;
  run(args: readonly string[]): Promise<number>;
}

const commands: Readonly<Record<string, Command>> = { setup };

const usage = `usage: hookline <command> [--help]\n\ncommands: ${Object.keys(commands).join(', ')}\n`;

const [name = '--help', ...args] = process.argv.slice(2);
process.exitCode = await main(name, args);

async function main(commandName: string, commandArgs: readonly string[]): Promise<number> {
  const command = Object.hasOwn(commands, commandName) ? commands[commandName] : undefined;
  if (command === undefined) {
    const asked = commandName === '--help' || commandName === 'help';
    (asked ? process.stdout : process.stderr).write(
      asked ? usage : `hookline: there is no command ${commandName}\n${usage}`,
    );
    return asked ? 0 : 2;
  }
  if (commandArgs.includes('--help')) {
    process.stdout.write(`${command.help}\n`);
    return 0;
  }
  try {
    return await command.run(commandArgs);
  } catch (error) {
    if (!isAppError(error, 'config_invalid')) throw error;
    process.stderr.write(
      `hookline ${commandName}: the configuration is not valid\n${error.message.replace(/^/gm, '  ')}\n`,
    );
    return 2;
  }
}

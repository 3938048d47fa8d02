import { createInterface } from 'node:readline';
import { CommandFailure, usageFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { describe, print } from './print.ts';

/** 128 + SIGINT, as in shells. */
const interruptedExitCode = 130;

/**
 * Asks on the terminal, and resolves if the answer is yes. Anything else is a no, even the end of the input.
 *
 * @param notDone what was not done, printed after a no
 * @throws CommandFailure for a no; for Ctrl-C with exit code 130
 */
export async function confirm({ process }: Context, question: string, notDone: string): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // On a terminal in a prompt, Ctrl-C is a key; a signal may come nevertheless.
  const interrupt = (): void => void terminal.emit('SIGINT');
  process.once('SIGINT', interrupt);
  const answer = await new Promise<{ line: string } | 'interrupted' | 'ended'>((resolve) => {
    terminal.once('SIGINT', () => resolve('interrupted'));
    terminal.once('close', () => resolve('ended'));
    terminal.question(`${question} [y/N] `, (line) => resolve({ line }));
  });
  process.removeListener('SIGINT', interrupt);
  terminal.close();
  // Only an answer ends its line.
  if (typeof answer === 'string') process.stderr.write('\n');
  if (answer === 'interrupted') throw new CommandFailure(interruptedExitCode, `interrupted: ${notDone}`);
  if (answer === 'ended' || !/^y(es)?$/i.test(answer.line.trim())) throw new CommandFailure(1, notDone);
}

/** @throws CommandFailure if the call must be confirmed, and nobody can be asked */
export function refuseUnasked(
  { yes, 'dry-run': isDryRun = false }: { yes: boolean; 'dry-run'?: boolean },
  { process }: Context,
): void {
  if (!isDryRun && !yes && !(process.stdin.isTTY && process.stderr.isTTY))
    throw usageFailure('no terminal to confirm on: give --yes');
}

/**
 * Shows what a dry run has found, and asks before that is done. False if nothing is to be done, which it has said.
 *
 * @throws CommandFailure as `confirm` does
 */
export async function isConfirmed(
  context: Context,
  preview: Readonly<Record<string, unknown>> & { matched: number },
  { question, noMatch, notDone }: Record<'question' | 'noMatch' | 'notDone', string>,
  { json, yes, 'dry-run': isDryRun }: Record<'json' | 'yes' | 'dry-run', boolean>,
): Promise<boolean> {
  if (isDryRun) {
    print(context, preview, json, describe);
    return false;
  }
  if (yes) return true;
  context.process.stderr.write(`${describe(preview, context.screen)}\n`);
  if (preview.matched === 0) {
    print(context, preview, json, () => noMatch);
    return false;
  }
  await confirm(context, question, notDone);
  return true;
}

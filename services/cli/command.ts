/** One file a command: what it says of itself, and what it does, which answers with the exit code. */
export interface Command {
  help: string;
  run(args: readonly string[]): Promise<number>;
}

type ExitCode = 1 | 2 | 130;

/**
 * Why a command ends without having done its work: 2 for a wrong call, 130 where it was interrupted, 1 for whatever else. Caught by
 * main.ts alone.
 */
export class CommandFailure extends Error {
  readonly exitCode: ExitCode;
  /** The same for programs, where `--json` is asked for. */
  readonly facts: object;

  constructor(exitCode: ExitCode, message: string, facts: object = { message }) {
    super(message);
    this.name = 'CommandFailure';
    this.exitCode = exitCode;
    this.facts = facts;
  }
}

export const usageFailure = (message: string): CommandFailure => new CommandFailure(2, message);

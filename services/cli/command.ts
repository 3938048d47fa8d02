/** One file a command: what it says of itself, and what it does, which answers with the exit code. */
export interface Command {
  help: string;
  run(args: readonly string[]): Promise<number>;
}

/** Why a command ends without having done its work: 2 for a wrong call, 1 for whatever else. Caught by main.ts alone. */
export class CommandFailure extends Error {
  readonly exitCode: 1 | 2;
  /** The same for programs, where `--json` is asked for. */
  readonly facts: object;

  constructor(exitCode: 1 | 2, message: string, facts: object = { message }) {
    super(message);
    this.name = 'CommandFailure';
    this.exitCode = exitCode;
    this.facts = facts;
  }
}

export const usageFailure = (message: string): CommandFailure => new CommandFailure(2, message);

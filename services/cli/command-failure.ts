type ExitCode = 1 | 2 | 130;

/** Why a command failed, with its exit code: 2 for wrong usage, 130 for an interrupt, 1 for everything else. Only main.ts catches it. */
export class CommandFailure extends Error {
  readonly exitCode: ExitCode;
  /** The same for programs, printed under `--json`. */
  readonly facts: object;

  constructor(exitCode: ExitCode, message: string, facts: object = { message }) {
    super(message);
    this.name = 'CommandFailure';
    this.exitCode = exitCode;
    this.facts = facts;
  }
}

export const usageFailure = (message: string): CommandFailure => new CommandFailure(2, message);

import type { ProblemDetails } from '#client';

type ExitCode = 1 | 2 | 130;

/** A field that the API refuses, by its JSON pointer or the name of a query parameter. */
export type WrongField = NonNullable<ProblemDetails['errors']>[number];

/** Why a command failed, with its exit code: 2 for wrong usage, 130 for an interrupt, 1 for everything else. Only run.ts prints it. */
export class CommandFailure extends Error {
  readonly exitCode: ExitCode;
  /** The same for programs, printed under `--json`. */
  readonly facts: object;
  /** Fields of a request that the API refused. The message does not have them: they are shown by the options of the verb. */
  readonly wrongFields: readonly WrongField[];

  constructor(
    exitCode: ExitCode,
    message: string,
    facts: object = { message },
    wrongFields: readonly WrongField[] = [],
  ) {
    super(message);
    this.name = 'CommandFailure';
    this.exitCode = exitCode;
    this.facts = facts;
    this.wrongFields = wrongFields;
  }
}

export const usageFailure = (message: string): CommandFailure => new CommandFailure(2, message);

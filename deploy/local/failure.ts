/** Something that the user of the local stack can put right: its message is all that is printed, one clear line (and log lines, if any). */
export class StackError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'StackError';
  }
}

/** `ENOSPC`, `EADDRINUSE`, … of the operating system's errors, `28P01`, … of Postgres'. */
export const errorCode = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | null)?.code;

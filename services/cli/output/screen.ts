import { columnsOf, hasColour } from '../config.ts';
import type { Context } from '../context.ts';

/** How output looks to whoever runs the command. */
export interface Screen {
  /** How wide tables may be; Infinity for a file or a pipe. */
  columns: number;
  hasColour: boolean;
  /** The offset of the zone that times are shown in, in minutes: positive to the east. */
  offsetMinutes(at: Date): number;
}

export const screenOf = (stdout: Context['process']['stdout'], env: Context['env']): Screen => ({
  columns: columnsOf(stdout, env) ?? Infinity,
  hasColour: hasColour(stdout, env),
  offsetMinutes: (at) => -at.getTimezoneOffset(),
});

export const inUtc = (screen: Screen): Screen => ({ ...screen, offsetMinutes: () => 0 });

import type { Clock, Random } from '#lib/runtime';
import type { Screen } from './output/print.ts';

/** A command's surroundings. main.ts passes those of the real process; tests pass their own, and run commands in their own process. */
export interface Context {
  process: HostProcess;
  env: Env;
  /** Has what `env` leaves out; there may be no such file. */
  localEnvFile: string;
  clock: Clock;
  random: Random;
  screen: Screen;
  /** Resolves with whether a browser was started. */
  openInBrowser(url: string): Promise<boolean>;
}

export type Env = Readonly<Record<string, string | undefined>>;

export interface Terminal {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** The part of `process` that commands use. */
export interface HostProcess {
  readonly stdin: NodeJS.ReadableStream & Terminal;
  readonly stdout: NodeJS.WritableStream & Terminal;
  readonly stderr: NodeJS.WritableStream & Terminal;
  once(signal: 'SIGINT' | 'SIGTERM', listener: () => void): HostProcess;
  removeListener(signal: 'SIGINT' | 'SIGTERM', listener: () => void): HostProcess;
}

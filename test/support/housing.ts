/**
 * Maps the processes of a pipeline to those of this machine: one each, or all of one number in one (`hookline serve`).
 */
import { type ProcessMode, processModes } from '#deploy/local/stack/process-mode.ts';
import { type ProcessName, serviceOf } from './process-names.ts';

export { type ProcessMode, processModes };

/** The default: it lets tests be run either way (`HOOKLINE_TEST_PROCESSES=one npx jest --selectProjects e2e`). */
export const usualMode = (): ProcessMode => (process.env.HOOKLINE_TEST_PROCESSES === 'one' ? 'one' : 'separate');

/** `serve`, and `serve-2` for all that are the second of their kind. */
export type HostName = ProcessName | 'serve' | `serve-${number}`;

export interface Housing {
  hostOf(name: ProcessName): HostName;
  /** All that live and die together with this one, itself included. */
  housemates(name: ProcessName): readonly ProcessName[];
  /** Node's arguments that start the host of this process. */
  program(name: ProcessName): string[];
  /** The author of a line that the host of this process has logged: one of its services, or the host itself. */
  authorOf(name: ProcessName, line: string): string;
}

/**
 * @param serveWith the program that has the command `serve`
 * @param names the names that may share a process; any other is alone, and so is one without a partner
 */
export function createHousing(
  mode: ProcessMode,
  names: readonly ProcessName[],
  serveWith = 'services/cli/main.ts',
): Housing {
  const numberOf = (name: ProcessName): string => name.slice(serviceOf(name).length);
  const byNumber = Map.groupBy(mode === 'one' ? names : [], numberOf);

  function housemates(name: ProcessName): readonly ProcessName[] {
    const mates = byNumber.get(numberOf(name)) ?? [];
    return mates.length > 1 && mates.includes(name) ? mates : [name];
  }
  const isShared = (name: ProcessName): boolean => housemates(name).length > 1;
  const hostOf = (name: ProcessName): HostName => (isShared(name) ? (`serve${numberOf(name)}` as HostName) : name);

  return {
    hostOf,
    housemates,
    program: (name) =>
      isShared(name)
        ? [serveWith, 'serve', '--only', housemates(name).map(serviceOf).join()]
        : [`services/${serviceOf(name)}/main.ts`],
    authorOf(name, line) {
      const [, service] = /^\{"level":\d+,"time":"[^"]*","service":"([a-z]+)"/.exec(line) ?? [];
      return housemates(name).find((mate) => serviceOf(mate) === service) ?? hostOf(name);
    },
  };
}

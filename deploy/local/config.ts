import { delimiter } from 'node:path';
import { integer, readConfig } from '#lib/config';
import { StackError } from './failure.ts';
import type { ProcessMode } from './stack/process-mode.ts';

/** Processes of this machine, or containers of its engine. */
export type StackKind = 'native' | 'containers';

/** The highest of the stack's ports by default (see ports.ts) must stay one. */
const maxOffset = 65_535 - 18_080;

const stackFields = {
  portOffset: integer('HOOKLINE_PORT_OFFSET', {
    default: '0',
    min: 0,
    max: maxOffset,
    help: 'added to every port of the local stack',
  }),
};

/** The kind of stack that the caller chose; undefined: decided by what the machine has. */
export function chosenStackKind(): StackKind | undefined {
  const { STACK: chosen = '' } = process.env;
  if (chosen === '' || chosen === 'native' || chosen === 'containers') return chosen || undefined;
  throw new StackError(`STACK=${chosen}: native or containers`);
}

/** Whether the services are to be processes of their own or one; undefined where the caller leaves it to us. */
export function chosenProcessMode(): ProcessMode | undefined {
  const { HOOKLINE_PROCESSES: chosen = '' } = process.env;
  if (chosen === '' || chosen === 'separate' || chosen === 'one') return chosen || undefined;
  throw new StackError(`HOOKLINE_PROCESSES=${chosen}: separate or one`);
}

/** undefined where the caller has not chosen: then a stack that runs keeps the ports that it has. */
export const chosenPortOffset = (): number | undefined =>
  process.env.HOOKLINE_PORT_OFFSET === undefined
    ? undefined
    : readConfig<typeof stackFields>(stackFields, process.env).portOffset;

/** Environment of a child process: this one's, with the given variables over it. */
export const childEnvironment = (given: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv => ({
  ...process.env,
  ...given,
});

export const javaHome = (): string | undefined => process.env.JAVA_HOME;

/** The folders in which programs are looked for. */
export const searchPath = (): string[] => (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');

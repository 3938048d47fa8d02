/**
 * jest's `testEnvironment` without a context of its own: tests have the globals of their process, as native-runtime.ts needs it. What a file
 * changes in the process is put back after it.
 */
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

type FakeTimers = ConstructorParameters<typeof ModernFakeTimers>[0];

/** `jest.setTimeout` tells jest-circus by this. */
const timeoutSymbol = Symbol.for('TEST_TIMEOUT_SYMBOL');

export default class NativeEnvironment {
  readonly global = globalThis;
  readonly fakeTimers = null;
  readonly fakeTimersModern: ModernFakeTimers;
  readonly moduleMocker = new ModuleMocker(globalThis);
  readonly #restore = rememberProcess();

  constructor({ projectConfig: config }: { projectConfig: FakeTimers['config'] }) {
    this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis });
  }

  async setup(): Promise<void> {
    Object.assign(globalThis, { jest: jestObject(this.moduleMocker, this.fakeTimersModern) });
  }

  async teardown(): Promise<void> {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    Reflect.deleteProperty(globalThis, timeoutSymbol);
    this.#restore();
  }

  exportConditions(): string[] {
    return ['node', 'node-addons'];
  }

  getVmContext(): null {
    return null;
  }
}

/** The part of `jest` that tests use. */
function jestObject(mocker: ModuleMocker, timers: ModernFakeTimers): object {
  return {
    fn: mocker.fn.bind(mocker),
    spyOn: mocker.spyOn.bind(mocker),
    restoreAllMocks: mocker.restoreAllMocks.bind(mocker),
    useFakeTimers: timers.useFakeTimers.bind(timers),
    useRealTimers: timers.useRealTimers.bind(timers),
    setSystemTime: timers.setSystemTime.bind(timers),
    advanceTimersByTime: timers.advanceTimersByTime.bind(timers),
    advanceTimersByTimeAsync: timers.advanceTimersByTimeAsync.bind(timers),
    getTimerCount: timers.getTimerCount.bind(timers),
    setTimeout: (timeoutMs: number): boolean => Reflect.set(globalThis, timeoutSymbol, timeoutMs),
  };
}

/** @returns what restores environment variables, folder, exit code, and what jest itself replaces for each file */
function rememberProcess(): () => void {
  const env = { ...process.env };
  const cwd = process.cwd();
  const { exit, exitCode } = process;
  const { console } = globalThis;
  return () => {
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    if (process.cwd() !== cwd) process.chdir(cwd);
    Object.assign(process, { exit, exitCode });
    globalThis.console = console;
  };
}

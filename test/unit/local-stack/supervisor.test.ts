import { createManualClock } from '#lib/runtime';
import type { Ending } from '#deploy/local/processes/processes.ts';
import { createSupervisor, type Restart } from '#deploy/local/supervise/supervisor.ts';

const killed: Ending = { signal: 'SIGKILL' };

/** Two running programs, a lock that another process may hold, and a supervisor that is called by hand. */
function createStack() {
  const clock = createManualClock(1_000_000);
  const running = new Set(['redis', 'dispatcher']);
  const launched: string[] = [];
  const restarts: Restart[] = [];
  const failures: string[] = [];
  const stack = {
    clock,
    running,
    launched,
    restarts,
    failures,
    isLocked: false,
    isInCharge: true,
    launch: async (name: string): Promise<void> => void running.add(name),
    /** A hook between the look and the lock. */
    beforeLock: (): void => undefined,
    look: (): Promise<boolean> => supervisor.look(),
    async lookFor(ms: number): Promise<void> {
      for (let passedMs = 0; passedMs < ms; passedMs += 500) {
        await clock.advance(500);
        await supervisor.look();
      }
    },
  };
  const supervisor = createSupervisor({
    programs: ['redis', 'dispatcher'].map((name) => ({
      name,
      launch: async () => {
        launched.push(name);
        await stack.launch(name);
      },
    })),
    processes: {
      pid: (name) => (running.has(name) ? 1 : undefined),
      howEnded: () => killed,
      lastLogLines: (name) => [`the last of ${name}`],
    },
    isInCharge: () => stack.isInCharge,
    withStack: async (work) => {
      stack.beforeLock();
      if (!stack.isLocked) await work();
    },
    onRestart: (restart) => restarts.push(restart),
    onFailure: (name, error) => failures.push(`${name}: ${String(error)}`),
    clock,
    random: () => 0.5,
  });
  return stack;
}

describe('the supervisor', () => {
  it('starts again what has ended, after a second, and says what, when, how, and what it logged last', async () => {
    const stack = createStack();
    await stack.lookFor(2_000);
    stack.running.delete('dispatcher');
    const endedAtMs = stack.clock.nowMs() + 500;
    await stack.lookFor(1_000);
    expect(stack.launched).toEqual([]);
    await stack.lookFor(500);
    expect(stack.launched).toEqual(['dispatcher']);
    const startedAtMs = endedAtMs + 1_000;
    expect(stack.restarts).toEqual([
      { name: 'dispatcher', endedAtMs, how: killed, lastLogLine: 'the last of dispatcher', startedAtMs },
    ]);
  });

  it('starts what is due in the order of the stack', async () => {
    const stack = createStack();
    stack.running.clear();
    await stack.lookFor(1_500);
    expect(stack.launched).toEqual(['redis', 'dispatcher']);
  });

  it('starts nothing while a command holds the stack, and what that has started is not its own', async () => {
    const stack = createStack();
    stack.isLocked = true;
    stack.running.delete('redis');
    stack.running.delete('dispatcher');
    await stack.lookFor(60_000);
    expect(stack.launched).toEqual([]);
    // As `make up` does, after having stopped what runs by older code.
    stack.running.add('dispatcher');
    stack.isLocked = false;
    await stack.lookFor(5_000);
    expect(stack.launched).toEqual(['redis']);
    expect(stack.restarts).toHaveLength(1);
  });

  it('looks again once it has the stack: what has been started meanwhile is not started a second time', async () => {
    const stack = createStack();
    stack.running.delete('dispatcher');
    stack.beforeLock = () => stack.running.add('dispatcher');
    await stack.lookFor(5_000);
    expect(stack.launched).toEqual([]);
  });

  it('starts nothing once it is stopped, or another has taken its place, and says that it must end', async () => {
    const stack = createStack();
    expect(await stack.look()).toBe(true);
    stack.running.delete('dispatcher');
    stack.beforeLock = () => (stack.isInCharge = false);
    await stack.lookFor(1_500);
    expect(stack.launched).toEqual([]);
    expect(await stack.look()).toBe(false);
    await stack.lookFor(60_000);
    expect(stack.launched).toEqual([]);
  });

  it('one that ends again and again is started less and less often, and keeps nobody else waiting', async () => {
    const stack = createStack();
    stack.running.delete('dispatcher');
    stack.launch = async (name) => {
      if (name === 'redis') stack.running.add(name);
    };
    await stack.lookFor(600_000);
    const times = stack.launched.length;
    // 1, 2, 4, 8, 16 and 32 s, then one a minute.
    expect(times).toBeGreaterThanOrEqual(13);
    expect(times).toBeLessThanOrEqual(16);
    stack.running.delete('redis');
    await stack.lookFor(1_500);
    expect(stack.running.has('redis')).toBe(true);
  });

  it('one that cannot be started is no end of it: it is tried again', async () => {
    const stack = createStack();
    stack.running.delete('redis');
    stack.running.delete('dispatcher');
    let hasProgram = false;
    stack.launch = async (name) => {
      if (name === 'redis' && !hasProgram) throw new Error('no such program');
      stack.running.add(name);
    };
    await stack.lookFor(1_500);
    expect(stack.failures).toEqual(['redis: Error: no such program']);
    expect(stack.restarts.map(({ name }) => name)).toEqual(['dispatcher']);
    hasProgram = true;
    await stack.lookFor(3_000);
    expect(stack.running.has('redis')).toBe(true);
  });
});

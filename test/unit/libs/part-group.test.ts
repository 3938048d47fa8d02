import { createPart, groupParts, silentLogger } from '#lib/runtime';

function parts(names: readonly string[], calls: string[], broken: { start?: string; stop?: string } = {}) {
  const act = (what: 'start' | 'stop', name: string) => async (): Promise<void> => {
    calls.push(`${what} ${name}`);
    if (broken[what] === name) throw new Error(`${name} can't ${what}`);
  };
  return names.map((name) => createPart(name, act('start', name), act('stop', name)));
}

describe('a group of parts', () => {
  test('starts in order and stops in reverse', async () => {
    const calls: string[] = [];
    const group = groupParts(parts(['a', 'b'], calls), silentLogger);
    await group.start();
    expect(group.stillRunning()).toEqual(['a', 'b']);
    await Promise.all([group.stop(), group.stop()]);
    expect(calls).toEqual(['start a', 'start b', 'stop b', 'stop a']);
    expect(group.stillRunning()).toEqual([]);
  });

  test('starts nothing more once it is to stop', async () => {
    const calls: string[] = [];
    const opening = Promise.withResolvers<void>();
    const slow = createPart(
      'slow',
      () => opening.promise,
      async () => void calls.push('stop slow'),
    );
    const group = groupParts([slow, ...parts(['b'], calls)], silentLogger);
    const started = group.start();
    const stopped = group.stop();
    opening.resolve();
    await Promise.all([started, stopped]);
    expect(calls).toEqual(['stop slow']);
  });

  test('stops those that have started where one could not, and the others where one can’t be stopped', async () => {
    const calls: string[] = [];
    const group = groupParts(parts(['a', 'b', 'c'], calls, { start: 'c', stop: 'b' }), silentLogger);
    await expect(group.start()).rejects.toThrow("c can't start");
    await group.stop();
    expect(calls).toEqual(['start a', 'start b', 'start c', 'stop c', 'stop b', 'stop a']);
  });
});

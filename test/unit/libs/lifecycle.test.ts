import { createPart } from '#lib/runtime';

describe('a part', () => {
  test('opens once however often it is started, and closes once', async () => {
    const calls: string[] = [];
    const part = createPart(
      'p',
      async () => void calls.push('open'),
      async () => void calls.push('close'),
    );
    await Promise.all([part.start(), part.start()]);
    await Promise.all([part.stop(), part.stop()]);
    expect(calls).toEqual(['open', 'close']);
  });

  test('that never started has nothing to close', async () => {
    const close = jest.fn(async () => undefined);
    await createPart('p', async () => undefined, close).stop();
    expect(close).not.toHaveBeenCalled();
  });

  test('stopped while it opens is closed after it has opened, also when opening failed', async () => {
    const calls: string[] = [];
    const opening = Promise.withResolvers<void>();
    const part = createPart(
      'p',
      () => opening.promise,
      async () => void calls.push('close'),
    );
    const started = part.start();
    const stopped = part.stop();
    expect(calls).toEqual([]);
    opening.reject(new Error('no'));
    await expect(started).rejects.toThrow('no');
    await stopped;
    expect(calls).toEqual(['close']);
  });
});

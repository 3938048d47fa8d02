import { createPlaces } from '../../../../services/dispatcher/replay/places.ts';

const never = new AbortController().signal;

function createWork() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    work: (name: string) => (): Promise<string> => {
      begun.push(name);
      const { promise, resolve } = Promise.withResolvers<string>();
      ends.set(name, () => resolve(name));
      return promise;
    },
    async end(name: string) {
      ends.get(name)?.();
      await new Promise(setImmediate);
    },
  };
}

test('so many work at once; the others follow in the order that they have asked in', async () => {
  const places = createPlaces(2);
  const { work, begun, end } = createWork();
  const all = ['a', 'b', 'c', 'd'].map((name) => places.use(work(name), never));
  await end('none');
  expect(begun).toEqual(['a', 'b']);
  await end('b');
  expect(begun).toEqual(['a', 'b', 'c']);
  await end('a');
  await end('c');
  await end('d');
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
});

test('who gives up while it waits does nothing, and takes no place from those behind it', async () => {
  const places = createPlaces(1);
  const { work, begun, end } = createWork();
  const stopping = new AbortController();
  const first = places.use(work('a'), never);
  const second = places.use(work('b'), stopping.signal);
  const third = places.use(work('c'), never);
  stopping.abort();
  expect(await second).toBe('aborted');
  await end('a');
  await end('c');
  expect(await Promise.all([first, third])).toEqual(['a', 'c']);
  expect(begun).toEqual(['a', 'c']);
  expect(await places.use(work('d'), stopping.signal)).toBe('aborted');
});

test('a place is free again after work that fails', async () => {
  const places = createPlaces(1);
  await expect(places.use(() => Promise.reject(new Error('broken')), never)).rejects.toThrow('broken');
  expect(await places.use(async () => 'next', never)).toBe('next');
});

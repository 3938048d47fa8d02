import { createSetAside } from '../../../services/dispatcher/fan-out/set-aside.ts';
import { settle } from './fixtures.ts';

function createWorld(atOnce: number) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const failures: unknown[] = [];
  const aside = createSetAside({ atOnce, onFailure: (error) => failures.push(error) });
  return {
    aside,
    begun,
    failures,
    add: (tenant: string, name: string) =>
      aside.add(tenant, () => {
        begun.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      }),
    async end(name: string) {
      ends.get(name)?.();
      await settle();
    },
  };
}

describe('work that is set aside', () => {
  it('is done piece by piece of a tenant, and in turns of tenants', async () => {
    const { add, begun, end, aside } = createWorld(1);
    for (const name of ['a1', 'a2', 'a3']) add('a', name);
    add('b', 'b1');
    expect(begun).toEqual(['a1']);
    for (const name of ['a1', 'b1', 'a2', 'a3']) await end(name);
    expect(begun).toEqual(['a1', 'b1', 'a2', 'a3']);
    expect([aside.has('a'), aside.has('b')]).toEqual([false, false]);
  });

  it('is of no more tenants at once than may be', () => {
    const { add, begun } = createWorld(2);
    for (const tenant of ['a', 'b', 'c']) for (const index of [1, 2]) add(tenant, `${tenant}${index}`);
    expect(begun).toEqual(['a1', 'b1']);
  });

  it('goes on after a failure, which is told', async () => {
    const { aside, add, begun, failures } = createWorld(1);
    aside.add('a', () => Promise.reject(new Error('no')));
    add('a', 'a2');
    await settle();
    expect(failures).toEqual([new Error('no')]);
    expect(begun).toEqual(['a2']);
    expect(aside.has('a')).toBe(true);
  });
});

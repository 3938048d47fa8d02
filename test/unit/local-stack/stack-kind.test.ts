import { StackError } from '#deploy/local/failure.ts';
import { decideKind } from '#deploy/local/stack/stack-kind.ts';

const choice = { running: undefined, chosen: undefined, troubleOfContainers: async () => undefined };
const withTrouble = { ...choice, troubleOfContainers: async () => 'no Docker engine answers' };
const notAsked = async (): Promise<never> => {
  throw new Error('the engine was asked');
};

describe('make up starts', () => {
  it('containers where they can be had, and processes where not, and says why', async () => {
    expect(await decideKind(choice)).toEqual({
      kind: 'containers',
      says: 'starting Hookline as containers (docker-compose.yml)',
    });
    expect(await decideKind(withTrouble)).toEqual({
      kind: 'native',
      says: 'no Docker engine answers: starting Hookline as local processes (no containers)',
    });
  });

  it('processes where they were chosen, or run, whatever the engine would say', async () => {
    const native = { kind: 'native', says: 'starting Hookline as local processes (no containers)' };
    expect(await decideKind({ ...choice, chosen: 'native', troubleOfContainers: notAsked })).toEqual(native);
    expect(await decideKind({ ...choice, running: { kind: 'native' }, troubleOfContainers: notAsked })).toEqual(native);
  });

  it('nothing else than was chosen, or runs', async () => {
    await expect(decideKind({ ...withTrouble, chosen: 'containers' })).rejects.toThrow(StackError);
    await expect(decideKind({ ...withTrouble, running: { kind: 'containers' } })).rejects.toThrow('no Docker engine');
    await expect(decideKind({ ...choice, running: { kind: 'native' }, chosen: 'containers' })).rejects.toThrow(
      'the stack runs as local processes (no containers); to change that: make down, then make up',
    );
  });
});

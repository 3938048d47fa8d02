import { StackError } from '#deploy/local/failure.ts';
import { decideKind } from '#deploy/local/stack-kind.ts';

const choice = { running: undefined, chosen: undefined, troubleOfContainers: async () => undefined };
const withTrouble = { ...choice, troubleOfContainers: async () => 'no Docker engine answers' };
const notAsked = async (): Promise<never> => {
  throw new Error('the engine was asked');
};

describe('make up starts', () => {
  it('processes, whatever an engine would say', async () => {
    const native = { kind: 'native', says: 'starting Hookline as local processes (no containers)' };
    const unasked = { ...choice, troubleOfContainers: notAsked };
    expect(await decideKind(unasked)).toEqual(native);
    expect(await decideKind({ ...unasked, chosen: 'native' })).toEqual(native);
    expect(await decideKind({ ...unasked, running: { kind: 'native' } })).toEqual(native);
  });

  it('containers where they were chosen, or run', async () => {
    const containers = { kind: 'containers', says: 'starting Hookline as containers (docker-compose.yml)' };
    expect(await decideKind({ ...choice, chosen: 'containers' })).toEqual(containers);
    expect(await decideKind({ ...choice, running: { kind: 'containers' } })).toEqual(containers);
  });

  it('nothing else than was chosen, or runs', async () => {
    await expect(decideKind({ ...withTrouble, chosen: 'containers' })).rejects.toThrow(StackError);
    await expect(decideKind({ ...withTrouble, running: { kind: 'containers' } })).rejects.toThrow('no Docker engine');
    await expect(decideKind({ ...choice, running: { kind: 'native' }, chosen: 'containers' })).rejects.toThrow(
      'the stack runs as local processes (no containers); to change that: make down, then make up',
    );
  });
});

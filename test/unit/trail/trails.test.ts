import fc from 'fast-check';
import { isLooped, maxTrailLength, parseTrail, trailMark, trailOf, trailText } from '#lib/contract';
import { createTrails } from '#lib/signatures';

const key = (id: string, byte: number) => ({ id, key: Buffer.alloc(32, byte) });
const [old, current, foreign] = [key('old', 1), key('new', 2), key('new', 3)];
const trails = createTrails([current, old]);
const someTrail = fc.array(fc.string().map(trailMark), { minLength: 1, maxLength: maxTrailLength });
const trail = ['src_1', 'src_2'].map(trailMark);

describe('a signed trail', () => {
  it('is read as it was signed, and named by no tenant and no source', () => {
    fc.assert(fc.property(someTrail, (given) => expect(trails.read(trails.sign(given))).toEqual(given)));
    expect(trails.sign(trail)).toMatch(/^v1(\.[A-Za-z0-9_-]{12}){2}\.[A-Za-z0-9_-]{22}$/);
    expect(trails.sign(trail)).not.toContain('src');
  });

  it('is none where nothing was passed', () => {
    expect(trails.sign([])).toBeUndefined();
    for (const none of [undefined, '', []]) expect(trails.read(none)).toEqual([]);
  });

  it('counts as none from another installation, and with any character changed', () => {
    const header = trails.sign(trail) as string;
    expect(trails.read(createTrails([foreign]).sign(trail))).toEqual([]);
    for (let at = 0; at < header.length; at += 1)
      for (const other of ['A', 'B', '.', '', `${header[at]}${header[at]}`]) {
        if (other === header[at]) continue;
        expect(trails.read(header.slice(0, at) + other + header.slice(at + 1))).toEqual([]);
      }
    fc.assert(fc.property(fc.string(), (text) => expect(trails.read(text)).toEqual([])));
    fc.assert(
      fc.property(someTrail, (marks) => expect(trails.read(`v1.${trailText(marks)}.${'A'.repeat(22)}`)).toEqual([])),
    );
  });

  it('outlives a rotation of the keys: what either key has signed is read', () => {
    const before = createTrails([old]);
    expect(trails.read(before.sign(trail))).toEqual(trail);
    expect(createTrails([old, current]).read(trails.sign(trail))).toEqual(trail);
    expect(before.read(trails.sign(trail))).toEqual([]);
  });

  it('is found among others, which nobody can hide it behind, up to a few', () => {
    const header = trails.sign(trail) as string;
    for (const several of [`forged, ${header}`, `${header},forged`, ['forged', header], [`a,b`, ` ${header} `]])
      expect(trails.read(several)).toEqual(trail);
    expect(trails.read(`${'a,'.repeat(100_000)}${header}`)).toEqual([]);
  });

  it('needs a key', () => {
    expect(() => createTrails([])).toThrow('names no key');
  });
});

describe('the trail of an event', () => {
  const eventOf = (source_id: string, passed: readonly string[] = []) => ({
    source_id,
    request: { trail: passed.map(trailMark) },
  });
  const eight = Array.from({ length: 8 }, (_, at) => `src_${at}`);

  it('has the sources before it, and its own', () => {
    expect(trailOf(eventOf('src_2', ['src_1']))).toEqual(trail);
    expect(trailOf({ source_id: 'src_1', request: null })).toEqual([trailMark('src_1')]);
    expect(trailOf({ source_id: 'src_1', request: {} })).toEqual([trailMark('src_1')]);
  });

  it('is empty where the event came from no source', () => {
    for (const source of ['api', 'hookline']) expect(trailOf({ source_id: source, request: null })).toEqual([]);
  });

  it.each([
    ['the first source', [], 'src_1', false],
    ['other sources', ['src_2', 'src_3'], 'src_1', false],
    ['its own source', ['src_1'], 'src_1', true],
    ['its own source in between', ['src_2', 'src_1', 'src_3'], 'src_1', true],
    ['seven others', eight.slice(0, 7), 'src_x', false],
    ['eight others', eight, 'src_x', true],
  ])('ends behind %s, or does not', (_what, passed, source, ends) => {
    const event = eventOf(source, passed);
    expect(isLooped(event)).toBe(ends);
    // Replayed, it does not begin anew, and fits into a record.
    const after = trailOf(event);
    expect(parseTrail(trailText(after))).toEqual(after);
    expect(after).toHaveLength(ends ? passed.length : passed.length + 1);
  });
});

import fc from 'fast-check';
import {
  currentName,
  decideNames,
  type KnownNames,
  type NameCommand,
  type NameDecision,
  type NameRow,
} from '../../../../services/api/event-types/decide-names.ts';

interface World {
  names: Map<string, NameRow>;
  retired: Set<string>;
  paused: Set<string>;
  lastId: number;
}

const newWorld = (): World => ({ names: new Map(), retired: new Set(), paused: new Set(), lastId: 0 });

/** As the store does it. */
function apply(world: World, command: NameCommand): NameDecision {
  const decision = decideNames(world, command);
  if (decision.kind === 'changed') for (const row of decision.names) world.names.set(row.name, row);
  return decision;
}

function create(world: World, name: string): NameDecision {
  world.lastId += 1;
  return apply(world, { do: 'create', name, typeId: `typ_${world.lastId}` });
}

const rename = (world: World, name: string, to: string) => apply(world, { do: 'rename', name, to });
const merge = (world: World, name: string, into: string, lacks: string[] = [], reason?: string) =>
  apply(world, { do: 'merge', name, into, lacks, reason });

function retire(world: World, name: string): NameDecision {
  const decision = apply(world, { do: 'change', name });
  if (decision.kind === 'changed') world.retired.add(decision.typeId);
  return decision;
}

/** The answer to a request for the name. */
function lookUp({ names, retired }: KnownNames, name: string): '200' | '404' | '410' | { to: string | undefined } {
  const row = names.get(name);
  if (row === undefined) return '404';
  if (retired.has(row.typeId)) return '410';
  return row.kind === 'current' ? '200' : { to: currentName({ names }, row.typeId) };
}

const worldOf = (...names: string[]): World => {
  const world = newWorld();
  for (const name of names) create(world, name);
  return world;
};

test('a renamed type is found under each of its names, in one hop', () => {
  const world = worldOf('a');
  rename(world, 'a', 'b');
  rename(world, 'b', 'c');
  expect(['a', 'b', 'c'].map((name) => lookUp(world, name))).toEqual([{ to: 'c' }, { to: 'c' }, '200']);
});

test('renaming back turns the alias round', () => {
  const world = worldOf('a');
  rename(world, 'a', 'b');
  rename(world, 'b', 'c');
  expect(rename(world, 'c', 'a')).toMatchObject({ kind: 'changed' });
  expect(['a', 'b', 'c'].map((name) => lookUp(world, name))).toEqual(['200', { to: 'a' }, { to: 'a' }]);
});

test('an alias is reserved: no other type gets its name', () => {
  const world = worldOf('a', 'other');
  rename(world, 'a', 'b');
  expect(create(world, 'a')).toMatchObject({ code: 'conflict', detail: 'a is kept as an alias of b' });
  expect(rename(world, 'other', 'a')).toMatchObject({ code: 'conflict', detail: 'a is kept as an alias of b' });
  expect(rename(world, 'other', 'b')).toMatchObject({ code: 'conflict' });
});

test('a merged type leads to the other, with all its names, and can’t be changed any more', () => {
  const world = worldOf('a', 'x');
  rename(world, 'a', 'b');
  expect(merge(world, 'b', 'x')).toMatchObject({ kind: 'changed', typeId: 'typ_1', mergedInto: 'typ_2' });
  rename(world, 'x', 'y');
  expect(['a', 'b', 'x', 'y'].map((name) => lookUp(world, name))).toEqual([
    ...[{ to: 'y' }, { to: 'y' }, { to: 'y' }],
    '200',
  ]);
  expect(rename(world, 'b', 'z')).toMatchObject({ code: 'conflict', detail: 'b is called y now' });
});

test('a merge whose target lacks a field needs a reason', () => {
  const world = worldOf('a', 'b');
  expect(merge(world, 'a', 'b', ['data.id', 'total'])).toEqual({
    kind: 'refused',
    code: 'conflict',
    detail: 'b lacks fields of a: data.id, total. Merge with a reason',
  });
  expect(merge(world, 'a', 'b', ['data.id'], '')).toMatchObject({ kind: 'refused' });
  expect(lookUp(world, 'a')).toBe('200');
  expect(merge(world, 'a', 'b', ['data.id'], 'nobody reads it')).toMatchObject({ kind: 'changed' });
});

test('nothing is merged into itself, into an alias, into what is retired or never was', () => {
  const world = worldOf('a', 'b', 'c');
  rename(world, 'b', 'b2');
  retire(world, 'c');
  expect(merge(world, 'a', 'a')).toMatchObject({ code: 'conflict' });
  expect(merge(world, 'a', 'b')).toMatchObject({ code: 'conflict', detail: 'b is called b2 now' });
  expect(merge(world, 'a', 'c')).toMatchObject({ code: 'conflict', detail: 'c is retired' });
  expect(merge(world, 'a', 'd')).toMatchObject({ code: 'conflict', detail: 'No event type is called d' });
});

test('a retired type is gone under all its names, and none of them is given again', () => {
  const world = worldOf('a', 'other');
  rename(world, 'a', 'b');
  expect(retire(world, 'b')).toMatchObject({ kind: 'changed' });
  expect(['a', 'b'].map((name) => lookUp(world, name))).toEqual(['410', '410']);
  for (const name of ['a', 'b']) {
    expect(create(world, name)).toMatchObject({ code: 'conflict' });
    expect(rename(world, 'other', name)).toMatchObject({ code: 'conflict' });
    expect(rename(world, name, 'c')).toMatchObject({ code: 'gone' });
    expect(retire(world, name)).toMatchObject({ code: 'gone' });
  }
});

test('what never was is not found', () => {
  expect(rename(newWorld(), 'a', 'b')).toMatchObject({ code: 'not_found' });
});

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const name = fc.constantFrom(...names);
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('create' as const), name, to: name }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('rename' as const), name, to: name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('merge' as const), name, to: name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('retire' as const), name, to: name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('pause' as const), name, to: name }) },
);

test('whatever is renamed, merged, paused and retired: no chain, no loop, and no alias to what is gone', () => {
  let aliases = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const world = worldOf('a', 'b', 'c', 'd');
      const given = new Map<string, string>();
      const gone = new Set<string>();
      for (const { do: what, name, to } of steps) {
        if (what === 'create') create(world, name);
        else if (what === 'rename') rename(world, name, to);
        else if (what === 'merge') merge(world, name, to);
        else if (what === 'retire') retire(world, name);
        else apply(world, { do: 'change', name });

        for (const [known] of world.names) {
          const answer = lookUp(world, known);
          if (typeof answer === 'object') {
            aliases += 1;
            expect(answer.to).not.toBe(known);
            expect([known, answer.to, lookUp(world, answer.to ?? '')]).toEqual([known, answer.to, '200']);
          }
          if (answer === '410') gone.add(known);
          given.set(known, known);
        }
        // Names stay what they are: one that was given is never free again, and one that is gone stays so.
        for (const [known] of given) expect(lookUp(world, known)).not.toBe('404');
        for (const known of gone) expect([known, lookUp(world, known)]).toEqual([known, '410']);
        const current = [...world.names.values()].filter(({ kind }) => kind === 'current');
        expect(new Set(current.map(({ typeId }) => typeId)).size).toBe(current.length);
      }
    }),
    { numRuns: 500 },
  );
  expect(aliases).toBeGreaterThan(1_000);
});

import { applyEdits, type Edit, type Sources } from '../../faults/mutants/edits/index.ts';
import { sameCode } from '../../faults/mutants/edits/pattern.ts';

const writer = `
import { publish } from './publish.ts';

/** Writes outcomes; settle(job) comes last. */
export function createWriter(deps: Deps) {
  const limit = 4;

  async function write(job: Job, record: Row): Promise<void> {
    if (limit > 2 && job.isOpen) await publish(outgoing(record), deps.signal);
    settle(job);
  }

  return { write, parked: (job: Job) => write(job, { kind: 'parked' }), kind: 'row' };
}

function twice(job: Job): void {
  settle(job);
  if (job.isOpen) settle(job);
}

export const removeSql = \`
  DELETE FROM rows WHERE tenant = $1
    AND step <= $2\`;
`;

const file = 'services/dispatcher/writer.ts';
const treeOf = (files: Record<string, string>): Sources => new Map(Object.entries(files));
const tree = treeOf({ [file]: writer });

/** White space that does not matter is left out. */
const flat = (text: string | undefined): string | undefined => text?.replace(/\s+/g, ' ');
const edited = (edit: Edit, sources = tree): string | undefined => flat(applyEdits(sources, [edit]).get(file));
const refusal = (edit: Edit, sources = tree): string => {
  try {
    applyEdits(sources, [edit]);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('it was made');
};

describe('an edit', () => {
  it.each<[string, Edit, string, string]>([
    [
      'takes a statement out by what it calls',
      { in: 'createWriter.write', without: 'settle' },
      'settle(job); } return',
      '} return',
    ],
    [
      'leaves an empty block where a statement was all of a branch',
      { in: 'createWriter.write', without: 'publish' },
      'await publish(outgoing(record), deps.signal);',
      '{}',
    ],
    ['has a condition always hold', { in: 'write', always: '$n > 2' }, 'limit > 2 &&', 'true &&'],
    ['has a condition never hold', { in: 'write', never: 'job.isOpen' }, '&& job.isOpen', '&& false'],
    [
      'takes all of a test as well',
      { in: 'write', never: 'limit > 2 && job.isOpen' },
      'if (limit > 2 && job.isOpen)',
      'if (false)',
    ],
    [
      'has a function return at once',
      { in: 'createWriter.parked', returns: '{ kind: 1 }' },
      `write(job, { kind: 'parked' })`,
      '({ kind: 1 })',
    ],
    ['has another value for a name', { in: 'createWriter.limit', value: '0' }, 'limit = 4', 'limit = 0'],
    ['has another value for a property', { in: 'createWriter.kind', value: 'limit' }, `kind: 'row'`, 'kind: limit'],
    [
      'puts code first',
      { in: 'write', insert: 'settle(job);' },
      'Promise<void> { if',
      'Promise<void> { settle(job); if',
    ],
    [
      'puts code first in a function that is one expression',
      { in: 'parked', insert: 'settle(job);' },
      `=> write(job, { kind: 'parked' })`,
      `=> { settle(job); return write(job, { kind: 'parked' }); }`,
    ],
    [
      'puts code before a statement, in its branch',
      { in: 'write', insert: 'settle($a);', before: 'publish(outgoing($a)' },
      'await publish(outgoing(record), deps.signal);',
      '{ settle(record); await publish(outgoing(record), deps.signal); }',
    ],
    [
      'replaces a pattern, with what its holes stand for',
      { in: 'write', replace: 'publish(outgoing($what), $signal)', with: 'publish($signal, $what)' },
      'publish(outgoing(record), deps.signal)',
      'publish(deps.signal, record)',
    ],
    [
      'replaces a piece of SQL',
      { in: 'removeSql', replace: 'tenant = $1 AND step <= $2', with: 'step <= $2' },
      'WHERE tenant = $1 AND step',
      'WHERE step',
    ],
  ])('%s', (_what, edit, before, after) => {
    expect(flat(writer)?.split(before)).toHaveLength(2);
    expect(edited(edit)).toBe(flat(writer)?.replace(before, () => after));
  });

  const defects: Edit[] = [
    { in: 'write', without: 'settle' },
    { in: 'write', never: '$job.isOpen' },
    { in: 'write', replace: `publish(outgoing($row), $signal)`, with: 'undefined' },
    { in: 'createWriter.parked', replace: '{ kind: "parked" }', with: '{}' },
    { in: 'removeSql', replace: 'step <= $2', with: 'true' },
  ];

  it.each(defects)('finds what has moved to another file, formatted otherwise: %j', (edit) => {
    const moved = writer
      .replaceAll(/(\w)\(([^()]+)\)/g, '$1(\n    $2,\n  )')
      .replaceAll("'", '"')
      .replaceAll('step <= $2', 'step\n<=\n$2')
      .replaceAll('outgoing(', 'outgoing( /* it */');
    const before = applyEdits(tree, [edit]);
    const after = applyEdits(treeOf({ [file]: 'export {};', 'libs/rows/moved.ts': moved }), [edit]);

    expect([...before.keys()]).toEqual([file]);
    expect([...after.keys()]).toEqual(['libs/rows/moved.ts']);
    expect(sameCode([...after.values()].join('').replaceAll('/* it */', ''), [...before.values()].join(''))).toBe(true);
  });

  it('finds what is named otherwise inside, by its holes', () => {
    const renamed = treeOf({ [file]: writer.replaceAll('job', 'task').replaceAll('record', 'row') });

    expect(edited({ in: 'write', never: '$job.isOpen' }, renamed)).toContain('&& false');
    expect(edited({ in: 'write', insert: 'settle($a);', before: 'publish(outgoing($a)' }, renamed)).toContain(
      '{ settle(row); await publish',
    );
  });

  it('comes after the one before it', () => {
    const edits: Edit[] = [
      { in: 'write', insert: 'const late = limit;' },
      { in: 'write.late', value: '7' },
    ];

    expect(flat(applyEdits(tree, edits).get(file))).toContain('const late = 7;');
  });
});

describe('a name', () => {
  const two = treeOf({
    'services/api/app.ts': 'export function buildApp() { return listen(80); }',
    'services/console/app.ts':
      'export function buildApp() { return listen(81); }\nconst run = () => { const port = 1; };',
    'libs/postgres/run.ts': 'export function createRun() { const run = () => 1; const port = 2; return { run }; }',
  });

  it('with two owners is told apart by its path, or by a folder', () => {
    expect([...applyEdits(two, [{ in: 'createRun.port', value: '9' }]).keys()]).toEqual(['libs/postgres/run.ts']);
    expect([...applyEdits(two, [{ in: 'services/console/buildApp', returns: '0' }]).keys()]).toEqual([
      'services/console/app.ts',
    ]);
    expect(refusal({ in: 'buildApp', returns: '0' }, two)).toBe(
      'in buildApp: "buildApp" could be any of these: \n  buildApp in services/api/app.ts\n  buildApp in services/console/app.ts',
    );
  });

  it('is that of the outermost declaration, where only one is not within another', () => {
    expect([...applyEdits(two, [{ in: 'run', returns: '0' }]).keys()]).toEqual(['services/console/app.ts']);
  });

  it('may be that of a method, or of something private', () => {
    const rows = 'class Rows { #held = 1; get held() { return this.#held; } take(): number { return this.#held; } }';
    const classes = treeOf({ [file]: rows });

    expect(edited({ in: 'Rows.take', returns: '0' }, classes)).toContain('take(): number { return 0; }');
    expect(edited({ in: 'Rows.#held', value: '2' }, classes)).toContain('#held = 2;');
    expect(edited({ in: 'Rows.held', returns: '3' }, classes)).toContain('get held() { return 3; }');
  });

  it('is no signature: only what has a body, or a value', () => {
    const overloads = 'function take(a: 1): 1;\nfunction take(a: 2): 2;\nfunction take(a: number) { return a; }';
    const types = 'interface Rows { take(a: number): number }\nconst row = ({ take: given }) => given;';

    expect(edited({ in: 'take', returns: '0' }, treeOf({ [file]: `${overloads}\n${types}` }))).toContain(
      'function take(a: number) { return 0; }',
    );
  });

  it('of a function in the database is that of the last migration up', () => {
    const body = (n: number): string => `FUNCTION weigh() RETURNS int LANGUAGE sql AS $$\n  SELECT ${n};\n$$;`;
    const migrations = treeOf({
      'deploy/postgres/migrations/0001_a.sql': `CREATE ${body(1)}`,
      'deploy/postgres/migrations/0002_b.sql': `CREATE OR REPLACE ${body(2)}\n-- Down Migration\nCREATE OR REPLACE ${body(1)}`,
    });
    const changed = applyEdits(migrations, [{ in: 'weigh', replace: 'SELECT 2', with: 'SELECT 3' }]);

    expect([...changed]).toEqual([
      ['deploy/postgres/migrations/0002_b.sql', expect.stringContaining('SELECT 3') as string],
    ]);
  });
});

describe('what can’t be made says why:', () => {
  it.each<[string, Edit, string]>([
    ['the name is gone', { in: 'judgeRow', returns: '0' }, 'in judgeRow: nothing is named "judgeRow"'],
    [
      'the name is elsewhere',
      { in: 'createReader.write', returns: '0' },
      'in createReader.write: there is no "createReader.write"; of this name there are: \n  createWriter.write in services/dispatcher/writer.ts',
    ],
    ['no call', { in: 'write', without: 'release' }, 'in write: it has no statement that calls release'],
    ['two calls', { in: 'twice', without: 'settle' }, 'in twice: it has more than one statement that calls settle'],
    ['no condition', { in: 'write', never: 'isOpen' }, 'in write: it has no condition isOpen'],
    [
      'two places',
      { in: 'createWriter', replace: 'limit', with: '0' },
      'in createWriter: it has more than one place with limit',
    ],
    ['no function', { in: 'createWriter.limit', returns: '0' }, 'in createWriter.limit: it is no function'],
    ['nothing new', { in: 'createWriter.limit', value: '4' }, 'in createWriter.limit: it changes nothing'],
    [
      'code that names what is not there: it would fail any test, and prove nothing',
      { in: 'write', insert: 'release(job);' },
      'in write: services/dispatcher/writer.ts has no release',
    ],
  ])('%s', (_why, edit, message) => {
    expect(refusal(edit)).toBe(message);
  });

  it('code that is none', () => {
    expect(refusal({ in: 'write', insert: 'if (' })).toMatch(
      /^in write: services\/dispatcher\/writer.ts does not parse/,
    );
  });
});

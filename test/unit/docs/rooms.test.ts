import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '#deploy/local/paths.ts';
import {
  againstRows,
  besideDoors,
  circleOf,
  type Import,
  importsBetweenFolders,
  importsBetweenParts,
  rowsOfPicture,
} from '../../support/rooms.ts';

const architecture = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
const roomOf = (path: string): string => path.split('/')[0] ?? '';
const foldersIn = (folder: string): string[] => [
  ...new Set(globSync('*/**/*.ts', { cwd: join(root, folder) }).map(roomOf)),
];

describe.each(['api', 'console'])('the rooms of services/%s', (name) => {
  const service = join(root, 'services', name);
  const imports = importsBetweenFolders(service);
  const rooms = globSync('*/index.ts', { cwd: service }).map((file) => dirname(file));

  it('are entered by their index.ts alone', () => {
    expect(rooms.length).toBeGreaterThan(10);
    expect(besideDoors(imports, rooms)).toEqual([]);
  });

  it('stand in the picture as they import one another', () => {
    const rows = rowsOfPicture(architecture, `The rooms of \`services/${name}\`:`);
    // Scripts for browsers are built by themselves.
    const folders = foldersIn(`services/${name}`).filter((folder) => folder !== 'islands');
    expect(rows.flat().sort()).toEqual(folders.sort());
    expect(againstRows(imports, rows)).toEqual([]);
  });

  it('import one another in no circle', () => {
    expect(imports.length).toBeGreaterThan(100);
    expect(circleOf(imports)).toBeUndefined();
  });
});

test('services, libs and packages stand in the picture as they import one another', () => {
  const rows = rowsOfPicture(architecture, 'The house:');
  const parts = ['services', 'libs', 'packages'].flatMap(foldersIn);
  expect(rows.flat().sort()).toEqual(parts.sort());
  const imports = importsBetweenParts(root);
  expect(imports.length).toBeGreaterThan(1_000);
  expect(againstRows(imports, rows)).toEqual([]);
});

test('a door that is passed by, and a circle, are seen', () => {
  const imports: Import[] = [
    { from: 'events/pages.ts', to: 'ui/table.ts' },
    { from: 'events/pages.ts', to: 'tenants/read.ts' },
    { from: 'tenants/pages.ts', to: 'deliveries/index.ts' },
    { from: 'deliveries/views.ts', to: 'events/index.ts' },
  ];
  expect(besideDoors(imports, ['events', 'tenants', 'deliveries'])).toEqual([
    { from: 'events/pages.ts', to: 'tenants/read.ts' },
  ]);
  expect(circleOf(imports)).toEqual(['events', 'tenants', 'deliveries', 'events']);
  expect(circleOf(imports.slice(0, 3))).toBeUndefined();
  const rows = [['events'], ['tenants', 'ui'], ['deliveries']];
  expect(againstRows(imports, rows)).toEqual([{ from: 'deliveries/views.ts', to: 'events/index.ts' }]);
  expect(rowsOfPicture('a\n```\nno\n```\nRooms:\n\n```\nb  c\nd\n```\n', 'Rooms:')).toEqual([['b', 'c'], ['d']]);
});

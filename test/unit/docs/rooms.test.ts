import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '#deploy/local/paths.ts';
import { besideDoors, circleOf, type Import, importsBetweenFolders } from '../../support/rooms.ts';

describe.each(['api', 'console'])('the rooms of services/%s', (name) => {
  const service = join(root, 'services', name);
  const imports = importsBetweenFolders(service);
  const rooms = globSync('*/index.ts', { cwd: service }).map((file) => dirname(file));

  it('are entered by their index.ts alone', () => {
    expect(rooms.length).toBeGreaterThan(10);
    expect(besideDoors(imports, rooms)).toEqual([]);
  });

  it('import one another in no circle', () => {
    expect(imports.length).toBeGreaterThan(100);
    expect(circleOf(imports)).toBeUndefined();
  });
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
});

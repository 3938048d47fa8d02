import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const folder = join(import.meta.dirname, '../../../services/dispatcher');
const readme = readFileSync(join(folder, 'README.md'), 'utf8');
const rooms = [...readme.matchAll(/^\| `([a-z-]+)\/` \|/gm)].map(([, room]) => room as string);

const importsOf = (file: string): string[] =>
  [...readFileSync(join(folder, file), 'utf8').matchAll(/ from '(\.\.?\/[^']+)'/g)].map(([, path]) =>
    normalize(join(dirname(file), path as string)),
  );

/** Files of the root that a room may use; the others wire the rooms. */
const shared = ['config.ts', 'kafka-client.ts', 'metrics.ts'];

const roomOf = (file: string): string => dirname(file);

describe('the rooms of the dispatcher', () => {
  it('stand in the README, all of them', () => {
    const files = globSync('*/*.ts', { cwd: folder });
    expect(rooms.toSorted()).toEqual([...new Set(files.map(roomOf))].toSorted());
  });

  it.each(rooms)('use only those above them: %s', (room) => {
    const allowed = rooms.slice(0, rooms.indexOf(room) + 1);
    const wrong = globSync(`${room}/*.ts`, { cwd: folder }).flatMap((file) =>
      importsOf(file)
        .filter((imported) => !allowed.includes(roomOf(imported)) && !shared.includes(imported))
        .map((imported) => `${file} → ${imported}`),
    );
    expect(wrong).toEqual([]);
  });
});

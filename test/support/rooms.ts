/** The folders of a service, and which of them imports which. One with an `index.ts` is a room: that is its only door. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';

export interface Import {
  /** Below the service's folder. */
  from: string;
  to: string;
}

/** Imports from one folder of the service into another, dynamic ones and those of types among them. Files of the service's own folder are in none. */
export function importsBetweenFolders(service: string): Import[] {
  const files = globSync('**/*.ts', { cwd: service, exclude: (name) => name.includes('islands') });
  return files.flatMap((from) =>
    [...readFileSync(join(service, from), 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g)]
      .map(([, path = '']) => ({ from, to: normalize(join(dirname(from), path)) }))
      .filter(({ to }) => folderOf(from) !== '' && folderOf(to) !== '' && folderOf(to) !== folderOf(from)),
  );
}

/** The first folder of a path; empty for a file of the service's own folder, and for what is not within it. */
function folderOf(path: string): string {
  const [first = '', ...rest] = path.split(sep);
  return rest.length === 0 || first === '..' ? '' : first;
}

/** Imports that pass a room by its door. */
export const besideDoors = (imports: readonly Import[], rooms: readonly string[]): Import[] =>
  imports.filter(({ to }) => rooms.includes(folderOf(to)) && to !== join(folderOf(to), 'index.ts'));

/** A circle of folders, as each imports the next; undefined if there is none. */
export function circleOf(imports: readonly Import[]): readonly string[] | undefined {
  const next = Map.groupBy(imports, ({ from }) => folderOf(from));
  const done = new Set<string>();

  function walk(folder: string, way: readonly string[]): readonly string[] | undefined {
    if (way.includes(folder)) return [...way.slice(way.indexOf(folder)), folder];
    if (done.has(folder)) return undefined;
    for (const to of new Set(next.get(folder)?.map((each) => folderOf(each.to)))) {
      const found = walk(to, [...way, folder]);
      if (found !== undefined) return found;
    }
    done.add(folder);
    return undefined;
  }
  return [...next.keys()].map((folder) => walk(folder, [])).find((circle) => circle !== undefined);
}

/** The rows of a picture in ARCHITECTURE, from above: the first code block after the text. */
export function rowsOfPicture(document: string, after: string): string[][] {
  const [, block = ''] = /^```\n([^`]*)```$/m.exec(document.slice(document.indexOf(after) + after.length)) ?? [];
  return block
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/ +/));
}

/** Imports of a row beside it or above it. */
export const againstRows = (imports: readonly Import[], rows: readonly (readonly string[])[]): Import[] => {
  const rowOf = (path: string): number => rows.findIndex((row) => row.includes(folderOf(path)));
  return imports.filter(({ from, to }) => rowOf(to) <= rowOf(from));
};

/** Imports of libs and packages, by the folders `ingress`, `kafka`, `client`, … whatever they stand in. */
export function importsBetweenParts(root: string): Import[] {
  const files = globSync(['services/*/**/*.ts', 'libs/*/**/*.ts', 'packages/*/**/*.ts'], { cwd: root });
  return files.flatMap((file) => {
    const from = file.slice(file.indexOf(sep) + 1);
    return [...readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import\() ?'([^']+)'/g)]
      .map(([, path = '']) => ({ from, to: partOf(file, path) }))
      .filter(({ to }) => to !== '' && folderOf(to) !== folderOf(from));
  });
}

function partOf(file: string, path: string): string {
  if (path === '#client') return join('client', 'index.ts');
  if (path.startsWith('#lib/')) return join(path.slice('#lib/'.length), 'index.ts');
  if (!path.startsWith('.')) return '';
  const target = normalize(join(dirname(file), path));
  return target.slice(target.indexOf(sep) + 1);
}

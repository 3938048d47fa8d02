/** Finds a declaration by its name: functions, classes and their members, variables, properties of object literals, functions of SQL. */
import type { Sources } from './edit.ts';
import { type Node, syntaxOf, walk } from './syntax.ts';

export interface Declaration {
  file: string;
  /** Its name, after those of the declarations around it. */
  path: readonly string[];
  start: number;
  end: number;
  /** Undefined for a function of SQL. */
  node: Node | undefined;
}

/** @throws Error where there is none, or more than one */
export function findDeclaration(sources: Sources, named: string): Declaration {
  const { folder, names } = partsOf(named);
  const found = declarationsOf(sources, names, folder);
  const outermost = found.filter(({ path }) => path.length === names.length);
  const [declaration, ...others] = outermost.length > 0 ? outermost : found;
  if (others.length > 0) throw new Error(`"${named}" could be any of these: ${listed(found)}`);
  if (declaration !== undefined) return declaration;
  const alike = declarationsOf(sources, names.slice(-1), '');
  if (alike.length === 0) throw new Error(`nothing is named "${names.at(-1)}"`);
  throw new Error(`there is no "${named}"; of this name there are: ${listed(alike)}`);
}

function partsOf(named: string): { folder: string; names: string[] } {
  const slash = named.lastIndexOf('/');
  const names = named.slice(slash + 1).split('.');
  return { folder: named.slice(0, slash + 1), names };
}

const listed = (declarations: readonly Declaration[]): string => {
  const shown = declarations.slice(0, 20).map(({ file, path }) => `\n  ${path.join('.')} in ${file}`);
  const more = declarations.length - shown.length;
  return `${shown.join('')}${more > 0 ? `\n  and ${more} more` : ''}`;
};

function declarationsOf(sources: Sources, names: readonly string[], folder: string): Declaration[] {
  const found: Declaration[] = [];
  for (const [file, text] of sources) {
    if (!file.startsWith(folder) || !names.every((name) => text.includes(name))) continue;
    found.push(...(file.endsWith('.sql') ? sqlFunctions(file, text) : declarationsIn(file, text)).filter(isMeant));
  }
  // A later migration replaces the function of an earlier one.
  const lastInSql = found.findLast(({ node }) => node === undefined);
  return found.filter((each) => each.node !== undefined || each === lastInSql);

  function isMeant({ path }: Declaration): boolean {
    let matched = 0;
    for (const name of path) if (name === names[matched]) matched++;
    return matched === names.length && path.at(-1) === names.at(-1);
  }
}

const known = new Map<string, Declaration[]>();

function declarationsIn(file: string, text: string): Declaration[] {
  const key = `${file}\n${text}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const declarations: Declaration[] = [];
  walk(syntaxOf(file, text).program, (node, around) => {
    const name = nameOf(node);
    if (name === undefined || around.at(-1)?.type === 'ObjectPattern') return;
    const path = [...around.flatMap((each) => nameOf(each) ?? []), name];
    declarations.push({ file, path, start: node.start, end: node.end, node });
  });
  known.set(key, declarations);
  return declarations;
}

/** The name that a node declares; signatures without a body declare nothing. */
function nameOf(node: Node): string | undefined {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      return node.id?.name;
    case 'VariableDeclarator':
      return node.id.type === 'Identifier' ? node.id.name : undefined;
    case 'MethodDefinition':
      return node.value.body === null ? undefined : keyOf(node);
    case 'PropertyDefinition':
      return keyOf(node);
    case 'Property':
      return node.shorthand ? undefined : keyOf(node);
    default:
      return undefined;
  }
}

function keyOf({ key, computed }: { key: Node; computed: boolean }): string | undefined {
  if (key.type === 'Literal' && typeof key.value === 'string') return key.value;
  if (key.type === 'PrivateIdentifier') return `#${key.name}`;
  return !computed && key.type === 'Identifier' ? key.name : undefined;
}

/** Up to where a migration is taken back. */
function sqlFunctions(file: string, text: string): Declaration[] {
  const [up = ''] = text.split(/^-- Down Migration/im);
  return [...up.matchAll(/CREATE (?:OR REPLACE )?FUNCTION (\w+)[^$]*\$\$[^]*?\$\$[^;]*;/g)].map((match) => ({
    file,
    path: [match[1] ?? ''],
    node: undefined,
    start: match.index,
    end: match.index + match[0].length,
  }));
}

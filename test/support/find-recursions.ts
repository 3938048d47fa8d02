/**
 * Functions that call themselves, directly or through others of their file, and that are given data of any shape: their depth is that of the data.
 * By the text of a file alone: a name is taken for the function of that name around it or in the file. Between files there is none, since imports
 * have no cycles; a callback that leads back is not found.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';

export interface Recursion {
  /** From the root of the repository on. */
  file: string;
  /** The functions that call each other, by name, sorted. */
  functions: readonly string[];
}

interface Node {
  type: string;
  [member: string]: unknown;
}

interface Found {
  /** Named functions of a file that are called by it, by name. */
  calls: Map<string, Set<string>>;
  /** Functions with a parameter whose type may be any JSON, or whose type is not said. */
  open: Set<string>;
}

const functionTypes = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
/** Types of data that tenants or senders give, of any depth. */
const openType =
  /\b(?:unknown|any|object|Json\w*|SchemaNode|Schema|NodeValue|HtmlValue|Record<string, (?:unknown|JsonValue)>|readonly unknown\[\])\b/;

/** @param roots folders from the root of the repository on */
export function findRecursions(root: string, roots: readonly string[]): Recursion[] {
  return roots.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts') && !file.includes('node_modules'))
      .sort()
      .flatMap((file) =>
        recursionsIn(readFileSync(join(root, folder, file), 'utf8')).map((functions) => ({
          file: `${folder}/${file}`,
          functions,
        })),
      ),
  );
}

/** @returns the names of each group of functions that call each other */
export function recursionsIn(text: string): (readonly string[])[] {
  const { program } = parseSync('file.ts', text, { sourceType: 'module' });
  const found: Found = { calls: new Map(), open: new Set() };
  visit(program as unknown as Node, undefined, undefined, { found, text });
  const groups = new Map<string, readonly string[]>();
  for (const name of found.calls.keys()) {
    const around = reachedFrom(name, found.calls);
    if (!around.has(name)) continue;
    const group = [...around].filter((other) => reachedFrom(other, found.calls).has(name)).sort();
    if (group.some((member) => found.open.has(member)))
      groups.set(
        group.join(),
        group.map((member) => member.replace(/^\./, '')),
      );
  }
  return [...groups.values()];
}

function reachedFrom(name: string, calls: Found['calls']): Set<string> {
  const reached = new Set<string>();
  const left = [...(calls.get(name) ?? [])];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (reached.has(next) || !calls.has(next)) continue;
    reached.add(next);
    left.push(...(calls.get(next) ?? []));
  }
  return reached;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** @param name that the node's function has where it stands; `within`: the named function around it */
function visit(
  node: Node,
  name: string | undefined,
  within: string | undefined,
  into: { found: Found; text: string },
): void {
  let inside = within;
  if (functionTypes.has(node.type)) {
    const own = (isNode(node['id']) ? (node['id']['name'] as string) : undefined) ?? name;
    if (own !== undefined) {
      inside = own;
      if (!into.found.calls.has(own)) into.found.calls.set(own, new Set());
      if ((node['params'] as Node[]).some((parameter) => isOpen(parameter, into.text))) into.found.open.add(own);
    }
  }
  // Any mention counts: `list.map(visit)` calls it, too.
  const mentioned =
    node.type === 'Identifier'
      ? (node['name'] as string)
      : node.type === 'MemberExpression' && (node['object'] as Node).type === 'ThisExpression'
        ? `.${String((node['property'] as Node)['name'])}`
        : undefined;
  if (mentioned !== undefined && within !== undefined) into.found.calls.get(within)?.add(mentioned);
  for (const [member, value] of Object.entries(node)) {
    if (member === 'typeAnnotation' || member === 'returnType' || member === 'typeParameters') continue;
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (!isNode(child)) continue;
      // Names of members and of declarations are no mentions.
      if ((member === 'key' || (member === 'property' && node['computed'] !== true)) && child.type === 'Identifier')
        continue;
      if (member === 'id' && child.type === 'Identifier') continue;
      visit(child, nameOf(node, member), inside, into);
    }
  }
}

/** `const f = () => …` is called by its name; `{ f() {} }`, `class { f() {} }` and `#f() {}` by `this.f`. */
function nameOf(node: Node, member: string): string | undefined {
  if (node.type === 'VariableDeclarator' && member === 'init' && isNode(node['id']))
    return node['id']['name'] as string | undefined;
  const named =
    (node.type === 'Property' || node.type === 'MethodDefinition' || node.type === 'PropertyDefinition') &&
    member === 'value'
      ? node['key']
      : undefined;
  return isNode(named) && typeof named['name'] === 'string' ? `.${named['name']}` : undefined;
}

function isOpen(parameter: Node, text: string): boolean {
  const annotation = parameter['typeAnnotation'];
  if (!isNode(annotation)) return false;
  return openType.test(text.slice(annotation['start'] as number, annotation['end'] as number));
}

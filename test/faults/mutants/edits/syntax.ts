/** Files as syntax trees. Positions are offsets in the text, as JavaScript counts them. */
import { type Comment, type Node, parseSync, visitorKeys } from 'oxc-parser';

export type { Node } from 'oxc-parser';

export interface Syntax {
  program: Node;
  comments: readonly Comment[];
}

const parsed = new Map<string, Syntax>();

/** @throws Error where the text is no TypeScript */
export function syntaxOf(file: string, text: string): Syntax {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const { program, comments, errors } = parseSync(file, text);
  const [first] = errors;
  if (first !== undefined) throw new Error(`${file} does not parse: ${first.message}\n${first.codeframe ?? ''}`);
  parsed.set(text, { program, comments });
  return { program, comments };
}

export const childrenOf = (node: Node): Node[] =>
  (visitorKeys[node.type] ?? [])
    .flatMap((key) => (node as unknown as Record<string, Node | null | (Node | null)[]>)[key] ?? [])
    .filter((child) => child !== null);

/** A node before its children, with the nodes around it, the nearest last. */
export function walk(
  node: Node,
  visit: (node: Node, around: readonly Node[]) => void,
  around: readonly Node[] = [],
): void {
  visit(node, around);
  const within = [...around, node];
  for (const child of childrenOf(node)) walk(child, visit, within);
}

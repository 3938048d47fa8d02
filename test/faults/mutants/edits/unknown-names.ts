/** Code that was put in names what is there: a mutant that ends in a ReferenceError would be seen by any test, and prove nothing. */
import { childrenOf, type Node, syntaxOf, walk } from './syntax.ts';

/** Names in the edited file that neither the file as it was, nor the code put in, nor Node has. */
export function unknownNames(file: string, before: string, edited: string): string[] {
  const known = namesIn(syntaxOf(file, before).program);
  const { used, bound } = namesIn(syntaxOf(file, edited).program);
  return [...used].filter(
    (name) => !known.used.has(name) && !known.bound.has(name) && !bound.has(name) && !(name in globalThis),
  );
}

function namesIn(program: Node): { used: Set<string>; bound: Set<string> } {
  const used = new Set<string>();
  const bound = new Set<string>();
  walk(program, (node, around) => {
    if (around.some(isOfTypes)) return;
    if (node.type === 'Identifier' && !isKey(node, around.at(-1))) used.add(node.name);
    for (const pattern of bindingsOf(node)) addBound(pattern);
  });
  return { used, bound };

  function addBound(pattern: Node): void {
    if (pattern.type === 'Identifier') bound.add(pattern.name);
    else if (pattern.type === 'Property') addBound(pattern.value);
    else if (pattern.type === 'AssignmentPattern') addBound(pattern.left);
    else childrenOf(pattern).forEach(addBound);
  }
}

const isOfTypes = ({ type }: Node): boolean => type.startsWith('TSType') || type === 'TSInterfaceDeclaration';

function isKey(node: Node, parent: Node | undefined): boolean {
  if (parent?.type === 'MemberExpression') return parent.property === node && !parent.computed;
  if (parent?.type === 'Property' || parent?.type === 'MethodDefinition' || parent?.type === 'PropertyDefinition')
    return parent.key === node && !parent.computed && !('shorthand' in parent && parent.shorthand);
  return false;
}

function bindingsOf(node: Node): readonly Node[] {
  switch (node.type) {
    case 'VariableDeclarator':
      return [node.id];
    case 'FunctionDeclaration':
      return [...(node.id === null ? [] : [node.id]), ...node.params];
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return node.params;
    case 'CatchClause':
      return node.param === null ? [] : [node.param];
    default:
      return [];
  }
}

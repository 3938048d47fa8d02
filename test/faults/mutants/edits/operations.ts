/** Each operation of an edit as one replacement in the text of a file. */
import type { Declaration } from './declarations.ts';
import type { Edit, Pattern, Place } from './edit.ts';
import { fillHoles, type Match, matchesOf } from './pattern.ts';
import { type Node, walk } from './syntax.ts';

export interface Change {
  start: number;
  end: number;
  code: string;
}

/** @throws Error where the declaration does not have what the edit changes, or has it more than once */
export function changeOf(edit: Edit, declaration: Declaration, text: string): Change {
  if ('replace' in edit) {
    const match = onlyMatch(edit.replace, declaration, text);
    return { ...match, code: fillHoles(edit.with, match.holes) };
  }
  const node = declaration.node;
  if (node === undefined) throw new Error('a function of SQL can only have a pattern replaced');
  if ('without' in edit) return withoutStatement(statementAt(edit.without, node, declaration, text));
  if ('always' in edit) return { ...onlyCondition(edit.always, node, declaration, text), code: 'true' };
  if ('never' in edit) return { ...onlyCondition(edit.never, node, declaration, text), code: 'false' };
  if ('value' in edit) return { ...spanOf(valueOf(node)), code: edit.value };
  const body = bodyOf(node);
  if ('returns' in edit) return { ...spanOf(body), code: returning(edit.returns, body) };
  if (edit.before === undefined) return insertedFirst(edit.insert, body, text);
  const place = statementAt(edit.before, node, declaration, text);
  return insertedBefore(fillHoles(edit.insert, place.holes), place, text);
}

function onlyMatch(pattern: Pattern, declaration: Declaration, text: string): Match {
  return onlyOne(matchesOf(pattern, declaration, text), 'place with', pattern);
}

function onlyOne<T>(found: readonly T[], what: string, wanted: string): T {
  const [first, ...others] = found;
  if (first === undefined) throw new Error(`it has no ${what} ${wanted}`);
  if (others.length > 0) throw new Error(`it has more than one ${what} ${wanted}`);
  return first;
}

/** A condition is a test, or an operand of `&&`, `||` and `!`. */
function onlyCondition(pattern: Pattern, within: Node, declaration: Declaration, text: string): Match {
  const spans = new Set<string>();
  walk(within, (node) => {
    for (let each of conditionsOf(node)) {
      spans.add(`${each.start}-${each.end}`);
      for (; each.type === 'ParenthesizedExpression'; each = each.expression)
        spans.add(`${each.expression.start}-${each.expression.end}`);
    }
  });
  const found = matchesOf(pattern, declaration, text, (start, end) => spans.has(`${start}-${end}`));
  return onlyOne(found, 'condition', pattern);
}

function conditionsOf(node: Node): Node[] {
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
    case 'WhileStatement':
    case 'DoWhileStatement':
      return [node.test];
    case 'LogicalExpression':
      return node.operator === '??' ? [] : [node.left, node.right];
    case 'UnaryExpression':
      return node.operator === '!' ? [node.argument] : [];
    default:
      return [];
  }
}

interface FoundPlace extends Pick<Match, 'holes'> {
  /** A statement, or the expression that is all of an arrow function. */
  node: Node;
  parent: Node | undefined;
}

function statementAt(place: Place, within: Node, declaration: Declaration, text: string): FoundPlace {
  const isCallee = /^[\w.#]+$/.test(place);
  const matches = isCallee ? callsOf(place, within, text) : matchesOf(place, declaration, text);
  const statements = new Map<number, FoundPlace>();
  for (const { start, end, holes } of matches) {
    const found = innermostStatement(within, start, end);
    if (found !== undefined) statements.set(found.node.start, { ...found, holes });
  }
  return onlyOne([...statements.values()], isCallee ? 'statement that calls' : 'statement with', place);
}

/** `settle` names every call of a function or method of this name, `deps.settle` only such a one. */
function callsOf(callee: string, within: Node, text: string): Match[] {
  const calls: Match[] = [];
  walk(within, (node) => {
    if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return;
    const called = text.slice(node.callee.start, node.callee.end).replaceAll('?.', '.');
    if (called === callee || called.endsWith(`.${callee}`)) calls.push({ start: node.start, end: node.end, holes: {} });
  });
  return calls;
}

function innermostStatement(within: Node, start: number, end: number): Pick<FoundPlace, 'node' | 'parent'> | undefined {
  let found: Pick<FoundPlace, 'node' | 'parent'> | undefined;
  walk(within, (node, around) => {
    const parent = around.at(-1);
    if (node.start <= start && node.end >= end && isStatement(node, parent)) found = { node, parent };
  });
  return found;
}

const isStatement = (node: Node, parent: Node | undefined): boolean =>
  (node.type.endsWith('Statement') && node.type !== 'BlockStatement') ||
  (node.type === 'VariableDeclaration' && parent?.type.startsWith('For') !== true) ||
  isExpressionBody(node, parent);

const isExpressionBody = (node: Node, parent: Node | undefined): boolean =>
  parent?.type === 'ArrowFunctionExpression' && parent.body === node && node.type !== 'BlockStatement';

const standsInList = (parent: Node | undefined): boolean =>
  ['BlockStatement', 'Program', 'SwitchCase', 'StaticBlock'].includes(parent?.type ?? '');

function withoutStatement({ node, parent }: FoundPlace): Change {
  if (isExpressionBody(node, parent)) return { ...spanOf(node), code: 'undefined' };
  return { ...spanOf(node), code: standsInList(parent) ? '' : '{}' };
}

function insertedBefore(code: string, { node, parent }: FoundPlace, text: string): Change {
  const statement = text.slice(node.start, node.end);
  if (isExpressionBody(node, parent)) return { ...spanOf(node), code: `{ ${code}\n return ${statement}; }` };
  return { ...spanOf(node), code: standsInList(parent) ? `${code}\n${statement}` : `{ ${code}\n${statement} }` };
}

function insertedFirst(code: string, body: Node, text: string): Change {
  if (body.type === 'BlockStatement') return { start: body.start + 1, end: body.start + 1, code: `\n${code}` };
  return { ...spanOf(body), code: `{ ${code}\n return ${text.slice(body.start, body.end)}; }` };
}

const returning = (code: string, body: Node): string =>
  body.type === 'BlockStatement' ? `{ return ${code}; }` : `(${code})`;

/** The expression that a name stands for. */
function valueOf(node: Node): Node {
  const value =
    node.type === 'VariableDeclarator'
      ? node.init
      : node.type === 'Property' || node.type === 'PropertyDefinition' || node.type === 'MethodDefinition'
        ? node.value
        : undefined;
  if (!value) throw new Error('it has no value');
  return value;
}

function bodyOf(node: Node): Node {
  let value = node.type === 'FunctionDeclaration' ? node : valueOf(node);
  while (
    value.type === 'TSAsExpression' ||
    value.type === 'TSSatisfiesExpression' ||
    value.type === 'ParenthesizedExpression'
  )
    value = value.expression;
  // A function that is made by another one, such as a route by `serve`: the code stands in its argument.
  if (value.type === 'CallExpression') value = value.arguments.find(({ type }) => type.includes('Function')) ?? value;
  const body = 'body' in value ? value.body : undefined;
  if (!value.type.includes('Function') || !body) throw new Error('it is no function');
  return body as Node;
}

const spanOf = ({ start, end }: Node): Pick<Change, 'start' | 'end'> => ({ start, end });

/**
 * Finds reasons to refuse a filter. A filter is text from a customer, so its size is limited (count-steps.ts limits its work). Anything
 * that the library would read differently than its author meant is refused: an unknown operator, or an operator within a value (`{"data":
 * {"amount": {"$gt": 5}}}` would compare with that very object).
 */
import { rawNumber } from '#lib/exact-json';
import { combiners, operators } from './operators.ts';

export interface FilterProblem {
  /** A JSON pointer into the filter; empty for the whole. */
  path: string;
  /** Follows the path: `must be …`. */
  message: string;
}

const maxBytes = 4_096;
/** Each may look at every value of a payload; each value of a `$all` counts as one. */
const maxConditions = 20;
const maxLevels = 10;
const maxProblems = 20;

export function problemsOfFilter(filter: unknown): FilterProblem[] {
  if (!isObject(filter)) return [{ path: '', message: 'must be an object' }];
  if (Object.keys(filter).length === 0) return [{ path: '', message: 'must not be empty: null takes every payload' }];
  const state: State = { problems: [], conditions: 0 };
  checkFilter(filter, '', 1, state);
  // The depth is checked first: writing down a filter that is too deep could overflow the stack.
  if (state.problems.length > 0) return state.problems.slice(0, maxProblems);
  if (Buffer.byteLength(JSON.stringify(filter)) > maxBytes)
    return [{ path: '', message: `must not be longer than ${maxBytes} bytes` }];
  if (state.conditions > maxConditions)
    return [{ path: '', message: `must not have more than ${maxConditions} conditions` }];
  return [];
}

// Postgres would keep it, but not as it was written.
const tooPrecise = 'must have at most 15 digits, unless it is a whole number written with digits alone';

interface State {
  problems: FilterProblem[];
  conditions: number;
}

function checkFilter(filter: Record<string, unknown>, at: string, level: number, state: State): void {
  if (level > maxLevels) return void state.problems.push({ path: at, message: `is nested deeper than ${maxLevels}` });
  for (const [key, value] of Object.entries(filter)) {
    const path = `${at}/${escapeToken(key)}`;
    if (combiners.has(key)) checkFilters(value, path, level, state);
    else if (key.startsWith('$'))
      state.problems.push({
        path,
        message: operators.has(key) ? 'must follow a path' : 'is not a filter operator',
      });
    else if (!isPath(key))
      state.problems.push({ path, message: 'is not a path: names and indexes joined by dots, such as data.object.id' });
    else checkCondition(value, path, level, state);
  }
}

function checkFilters(filters: unknown, path: string, level: number, state: State): void {
  if (!Array.isArray(filters) || filters.length === 0)
    return void state.problems.push({ path, message: 'must be a list of one or more filters' });
  filters.forEach((filter: unknown, index) => {
    const at = `${path}/${index}`;
    if (isObject(filter) && Object.keys(filter).length > 0) checkFilter(filter, at, level + 1, state);
    else state.problems.push({ path: at, message: 'must be a filter' });
  });
}

/** Checks what follows a path: operators, or a value to equal. */
function checkCondition(condition: unknown, path: string, level: number, state: State): void {
  state.conditions += 1;
  if (!hasOperators(condition)) return checkValue(condition, path, level, state);
  for (const [key, operand] of Object.entries(condition)) {
    const at = `${path}/${escapeToken(key)}`;
    if (operators.has(key)) checkOperand(key, operand, at, level + 1, state);
    else if (key.startsWith('$')) state.problems.push({ path: at, message: 'is not a filter operator' });
    else state.problems.push({ path: at, message: 'is a path among operators: an object has only one of the two' });
  }
}

function checkOperand(operator: string, operand: unknown, path: string, level: number, state: State): void {
  const refuse = (message: string): void => void state.problems.push({ path, message });
  if (level > maxLevels) return refuse(`is nested deeper than ${maxLevels}`);
  switch (operators.get(operator)) {
    case 'value':
      return checkValue(operand, path, level, state);
    case 'ordered':
      if (rawNumber(operand) !== undefined) return checkValue(operand, path, level, state);
      return typeof operand === 'number' || typeof operand === 'string'
        ? undefined
        : refuse('must be a number or a text');
    case 'values':
      if (!Array.isArray(operand) || operand.length === 0) return refuse('must be a list of one or more values');
      if (operator === '$all') state.conditions += operand.length - 1;
      return operand.forEach((value: unknown, index) => checkValue(value, `${path}/${index}`, level, state));
    case 'boolean':
      return typeof operand === 'boolean' ? undefined : refuse('must be true or false');
    case 'count':
      return Number.isSafeInteger(operand) && Number(operand) >= 0
        ? undefined
        : refuse('must be a whole number from 0');
    case 'condition':
      return hasOperators(operand)
        ? checkCondition(operand, path, level, state)
        : refuse('must be an object of operators');
    case 'element':
      if (hasOperators(operand) && !Object.keys(operand).some((key) => combiners.has(key)))
        return checkCondition(operand, path, level, state);
      return isObject(operand) && Object.keys(operand).length > 0
        ? checkFilter(operand, path, level, state)
        : refuse('must be a filter, or an object of operators');
    case undefined:
  }
}

/** A value is met as a whole: nothing in it is an operator. */
function checkValue(value: unknown, path: string, level: number, state: State): void {
  if (typeof value !== 'object' || value === null) return;
  const number = rawNumber(value);
  if (number !== undefined) {
    if (!/^-?\d+$/.test(number)) state.problems.push({ path, message: tooPrecise });
    return;
  }
  if (level > maxLevels) return void state.problems.push({ path, message: `is nested deeper than ${maxLevels}` });
  for (const [key, inner] of Object.entries(value)) {
    const at = `${path}/${escapeToken(key)}`;
    if (key.startsWith('$'))
      state.problems.push({
        path: at,
        message: 'is nested in a value: write its path with dots, such as "data.amount": {"$gt": 5}',
      });
    else if (isReserved(key)) state.problems.push({ path: at, message: 'is a name that filters can’t compare' });
    else checkValue(inner, at, level + 1, state);
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const hasOperators = (value: unknown): value is Record<string, unknown> =>
  isObject(value) && Object.keys(value).some((key) => key.startsWith('$'));

/** The library asks objects for them to tell what they are. */
const isReserved = (name: string): boolean => name === '__proto__' || name === 'constructor';

const isPath = (key: string): boolean => key.split('.').every((name) => name !== '' && !isReserved(name));

const escapeToken = (token: string): string => token.replaceAll('~', '~0').replaceAll('/', '~1');

/**
 * The work of a condition, counted in steps before it is done: one for each value on its path, times one for each value in the filter that
 * it is compared with. The count depends on filter and payload only, never on time: a repeated fan-out, on any machine, stops at the same
 * place and gives the same set.
 */
/** The steps that a condition takes on a document. */
export type CountSteps = (document: unknown) => number;

/** A longer name or text is looked up and compared for longer. */
const charactersPerStep = 32;

interface PathField {
  name: string;
  isIndex: boolean;
  steps: number;
}

/** @param operand the operator's operand, as `problemsOfFilter` has accepted it */
export function stepsOf(operator: string, path: string, operand: unknown): CountSteps {
  const names = path.split('.');
  const fields = names.map((name): PathField => ({
    name,
    isIndex: /^\d+$/.test(name),
    steps: 1 + Math.floor(name.length / charactersPerStep),
  }));
  // For this operator the library builds the values on the path, and looks at the result.
  const isBuilt = operator === '$exists';
  return stepsThrough(fields, isBuilt, stepsOfFound(operator, operand, names.length - 1));
}

/** Follows the library: a name applies to each element of an array, but not to arrays directly within it, unless it builds. */
function stepsThrough(fields: readonly PathField[], isBuilt: boolean, found: CountSteps): CountSteps {
  const through = (document: unknown, from: number): number => {
    let steps = 0;
    let value = document;
    for (let at = from; at < fields.length; at += 1) {
      const field = fields[at] as PathField;
      steps += field.steps;
      if (typeof value !== 'object' || value === null) return steps;
      if (!Array.isArray(value)) value = Object.hasOwn(value, field.name) ? fieldOf(value, field.name) : undefined;
      else if (field.isIndex) {
        if (isBuilt) steps += value.length;
        value = (value as unknown[])[Number(field.name)];
      } else {
        for (const item of value as unknown[])
          steps += Array.isArray(item) && !isBuilt ? 1 + found(item) : through(item, at);
        return steps;
      }
    }
    return steps + found(value);
  };
  return (document) => through(document, 0);
}

const fieldOf = (value: object, name: string): unknown => (value as Record<string, unknown>)[name];

/** The steps spent on each value at the path. */
function stepsOfFound(operator: string, operand: unknown, levels: number): CountSteps {
  const weight = weightOf(operand);
  const areScalars = Array.isArray(operand) ? operand.every(isScalar) : isScalar(operand);
  switch (operator) {
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      return (value) => elementsOf(value, 0) * weight;
    case '$eq':
    case '$ne':
      return isScalar(operand)
        ? (value) => elementsOf(value, levels) * weight
        : (value) => valuesIn(value) + elementsOf(value, levels) * weight;
    case '$in':
    case '$nin':
      // A hash is made of each value and of each in the list: only lists and objects are then compared one by one.
      return (value) => (areScalars ? valuesIn(value) + weight : valuesIn(value) * weight);
    case '$all':
      return (value) => (areScalars ? elementsOf(value, 0) : valuesIn(value)) * weight;
    case '$elemMatch':
      // Its inner conditions are counted when they are evaluated.
      return (value) => elementsOf(value, 0);
    default:
      return () => 1;
  }
}

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;

function weightOf(operand: unknown): number {
  if (typeof operand === 'string') return 1 + Math.floor(operand.length / charactersPerStep);
  if (isScalar(operand)) return 1;
  return Object.entries(operand as object).reduce(
    (sum, [name, inner]) => sum + (Array.isArray(operand) ? 0 : weightOf(name)) + weightOf(inner),
    1,
  );
}

/** The value, and if it is an array its elements, down to so many nested arrays. */
function elementsOf(value: unknown, levels: number): number {
  if (!Array.isArray(value)) return 1;
  if (levels === 0) return 1 + value.length;
  return value.reduce<number>((sum, item) => sum + elementsOf(item, levels - 1), 1);
}

/** The value and everything in it. */
function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  let values = 1;
  for (const inner of Array.isArray(value) ? (value as unknown[]) : Object.values(value)) values += valuesIn(inner);
  return values;
}

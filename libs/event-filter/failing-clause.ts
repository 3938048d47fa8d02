import { compileFilter, maxFilterSteps } from './compile-filter.ts';
import type { MatchedPayload } from './matched-payload.ts';
import { combiners, operators } from './operators.ts';

/** One condition of a filter, for people. */
export interface Clause {
  /** A JSON pointer into the filter. */
  pointer: string;
  /** The path into the payload; null for `$or` and `$nor`. */
  path: string | null;
  operator: string;
  /** The operand, as the filter has it. */
  expected: unknown;
}

interface Conjunct extends Clause {
  /** The clause as a filter of its own. */
  filter: Record<string, unknown>;
}

/**
 * The first clause that refuses a payload which the filter doesn't take: all clauses of a filter must take it, and it is matched from the
 * first on. Null where there is none to be named, because the payload is not a JSON object or array.
 *
 * @param filter one that `problemsOfFilter` accepts
 * @returns with the steps taken, about as many as for matching by the filter
 */
export function failingClause(filter: unknown, payload: MatchedPayload): { clause: Clause | null; steps: number } {
  let steps = 0;
  if (payload.content().kind !== 'document') return { clause: null, steps };
  for (const { filter: own, ...clause } of conjunctsOf(filter as Record<string, unknown>, '')) {
    const match = compileFilter(own)(payload, maxFilterSteps - steps);
    steps += match.steps;
    if (!match.takes) return { clause, steps };
  }
  return { clause: null, steps };
}

function* conjunctsOf(filter: Record<string, unknown>, at: string): Iterable<Conjunct> {
  for (const [key, value] of Object.entries(filter)) {
    const pointer = `${at}/${escapeToken(key)}`;
    if (key === '$and') for (const [place, inner] of filtersIn(value)) yield* conjunctsOf(inner, `${pointer}/${place}`);
    else if (key === '$nor')
      for (const [place, inner] of filtersIn(value))
        yield { ...combined(key, inner, `${pointer}/${place}`), filter: { $nor: [inner] } };
    else if (combiners.has(key)) yield combined(key, value, pointer);
    else yield* conditionsOf(key, value, pointer);
  }
}

const filtersIn = (value: unknown) => (value as Record<string, unknown>[]).entries();

const combined = (operator: string, expected: unknown, pointer: string): Conjunct => ({
  pointer,
  path: null,
  operator,
  expected,
  filter: { [operator]: expected },
});

function* conditionsOf(path: string, condition: unknown, pointer: string): Iterable<Conjunct> {
  const entries =
    typeof condition === 'object' && condition !== null ? Object.entries(condition as Record<string, unknown>) : [];
  if (!entries.some(([key]) => operators.has(key))) {
    yield { pointer, path, operator: '$eq', expected: condition, filter: { [path]: condition } };
    return;
  }
  for (const [operator, expected] of entries)
    yield {
      pointer: `${pointer}/${operator}`,
      path,
      operator,
      expected,
      filter: { [path]: { [operator]: expected } },
    };
}

const escapeToken = (token: string): string => token.replaceAll('~', '~0').replaceAll('/', '~1');

import { canonicalNumber, compareDecimals, type Decimal, decimalOf, rawNumber } from '#lib/exact-json';

/**
 * A number that a double doesn't hold, in a payload or a filter. The library knows values of a class as equal by their texts; it orders only
 * doubles, so `compareNumbers` does that. Nothing of it is a name that a path could lead to.
 */
export class ExactNumber {
  readonly #text: string;
  readonly #decimal: Decimal;

  constructor(source: string) {
    this.#text = canonicalNumber(source);
    this.#decimal = decimalOf(source);
  }

  toString(): string {
    return this.#text;
  }

  static decimalOf(value: number | ExactNumber): Decimal {
    return typeof value === 'number' ? decimalOf(String(value)) : value.#decimal;
  }
}

export const isNumber = (value: unknown): value is number | ExactNumber =>
  typeof value === 'number' || value instanceof ExactNumber;

/** Negative, zero or positive. A double stands for the shortest decimal that reads as it. */
export const compareNumbers = (one: number | ExactNumber, other: number | ExactNumber): number =>
  typeof one === 'number' && typeof other === 'number'
    ? one - other
    : compareDecimals(ExactNumber.decimalOf(one), ExactNumber.decimalOf(other));

/** The same value with an ExactNumber for each raw number; not a copy where there is none. */
export function withExactNumbers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const source = rawNumber(value);
  if (source !== undefined) return new ExactNumber(source);
  if (Array.isArray(value)) return value.map(withExactNumbers);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withExactNumbers(inner)]));
}

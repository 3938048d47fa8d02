/**
 * JSON whose numbers keep their values. A double forgets: 9007199254740993 reads as …992, and one customer's number becomes another's. A
 * number that a double does not hold becomes a raw JSON value, which `JSON.stringify` writes as it was.
 */
import { canonicalNumber } from './decimal.ts';

/** The result of `JSON.rawJSON`: an object that `JSON.stringify` writes as its text. */
interface RawNumber {
  readonly rawJSON: string;
}

// Node 21 and later have them; the types of this language level don't have them.
const json = JSON as unknown as {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
};

/**
 * `whole`: of the numbers that a double doesn't hold, only those written with digits alone are kept. `all`: a fraction or an exponent may be in them,
 * too. Most text has neither, and is parsed as usual.
 *
 * @param make what stands for a number that is kept, by its text
 * @throws SyntaxError
 */
export function parseExact(text: string, keep: 'whole' | 'all', make: (source: string) => object = rawJson): unknown {
  const document: unknown = JSON.parse(text);
  if (!mayHoldMore.test(text)) return document;
  try {
    return json.parse(text, (_key, value, { source }) =>
      typeof value === 'number' && source !== undefined && isKept(source, keep) ? make(source) : value,
    );
  } catch (error) {
    // A reviver recurses: thousands of levels overflow the stack.
    if (error instanceof RangeError) return document;
    throw error;
  }
}

const rawJson = (source: string): object => json.rawJSON(source);

/** The text of a number that a double doesn't hold; undefined for every other value. */
export const rawNumber = (value: unknown): string | undefined => (json.isRawJSON(value) ? value.rawJSON : undefined);

/** A number in JSON that is long, or has an exponent; some texts look like one. */
const mayHoldMore = /(?:^|[:,[])\s*-?(?:\d[\d.]{15}|[\d.]+[eE])/;

function isKept(source: string, keep: 'whole' | 'all'): boolean {
  if (source.length <= 15 && !/[eE]/.test(source)) return false;
  if (keep === 'whole' && !/^-?\d+$/.test(source)) return false;
  const double = Number(source);
  return !Number.isFinite(double) || canonicalNumber(source) !== canonicalNumber(String(double));
}

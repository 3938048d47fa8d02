/** The value of a JSON number: ±0.d₁d₂d₃… · 10^point, the digits without zeros at either end; without digits it is 0. */
export interface Decimal {
  isNegative: boolean;
  digits: string;
  point: bigint;
}

/** Exponents of more digits than this are cut: they are beyond anything that is compared. */
const maxExponentDigits = 30;

/** @param source a number as JSON writes it */
export function decimalOf(source: string): Decimal {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? [];
  const written = whole + fraction;
  const significant = written.replace(/^0+/, '');
  const digits = significant.replace(/0+$/, '');
  if (digits === '') return { isNegative: false, digits, point: 0n };
  const point = BigInt(whole.length - (written.length - significant.length)) + exponentOf(exponent);
  return { isNegative: sign === '-', digits, point };
}

function exponentOf(text: string): bigint {
  const [, sign, digits = ''] = /^([+-]?)0*(\d*)$/.exec(text) ?? [];
  const exponent = digits.length > maxExponentDigits ? 10n ** BigInt(maxExponentDigits) : BigInt(digits);
  return sign === '-' ? -exponent : exponent;
}

/** Negative, zero or positive, as by `Array.prototype.sort`. */
export function compareDecimals(one: Decimal, other: Decimal): number {
  if (one.digits === '' && other.digits === '') return 0;
  if (one.digits === '') return other.isNegative ? 1 : -1;
  if (other.digits === '') return one.isNegative ? -1 : 1;
  if (one.isNegative !== other.isNegative) return one.isNegative ? -1 : 1;
  const [low, high] = one.isNegative ? [other, one] : [one, other];
  return low.point === high.point ? compare(low.digits, high.digits) : compare(low.point, high.point);
}

const compare = <T extends string | bigint>(one: T, other: T): number => (one < other ? -1 : one > other ? 1 : 0);

/** Longer runs of zeros are written as an exponent. */
const mostPlaces = 40n;

/** One text for each value: 1, 1.0 and 1e0 are `1`. */
export function canonicalNumber(source: string): string {
  const { isNegative, digits, point } = decimalOf(source);
  return `${isNegative ? '-' : ''}${unsigned(digits, point)}`;
}

function unsigned(digits: string, point: bigint): string {
  if (digits === '') return '0';
  const length = BigInt(digits.length);
  if (point > 0n && point <= length) {
    const at = Number(point);
    return at === digits.length ? digits : `${digits.slice(0, at)}.${digits.slice(at)}`;
  }
  if (point > 0n && point <= mostPlaces) return digits.padEnd(Number(point), '0');
  if (point <= 0n && point > -mostPlaces) return `0.${'0'.repeat(Number(-point))}${digits}`;
  const rest = digits.slice(1);
  return `${digits.slice(0, 1)}${rest === '' ? '' : `.${rest}`}e${point - 1n}`;
}

export { canonicalNumber, compareDecimals, type Decimal, decimalOf } from './decimal.ts';
export { parseExact, rawNumber } from './parse-exact.ts';

import type { Locator } from '#lib/contract';
import type { JsonBody, Scalar } from './json-body.ts';

/** What the first locator leads to that leads to something: only non-empty texts and numbers, since null, true or {} would make one of many. */
export function locateScalar(locators: readonly Locator[], json: JsonBody): Scalar | undefined {
  for (const locator of locators) {
    const scalar = 'value' in locator ? textOf(locator.value) : json.scalarAt(locator.pointer);
    if (scalar !== undefined) return scalar;
  }
  return undefined;
}

const textOf = (text: string): Scalar | undefined => (text === '' ? undefined : { kind: 'text', text });

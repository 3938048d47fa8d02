import type { Locator } from '#lib/contract';
import type { JsonBody, Scalar } from './json-body.ts';

/**
 * The value that the first matching locator leads to: only non-empty texts and numbers, since null, true or {} would make many webhooks
 * one.
 */
export function locateScalar(locators: readonly Locator[], json: JsonBody): Scalar | undefined {
  for (const locator of locators) {
    const scalar = 'value' in locator ? textOf(locator.value) : json.scalarAt(locator.pointer);
    if (scalar !== undefined) return scalar;
  }
  return undefined;
}

const textOf = (text: string): Scalar | undefined => (text === '' ? undefined : { kind: 'text', text });

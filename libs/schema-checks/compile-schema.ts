/** Compiles a tenant's schema to a function that validates values. Only a thread that can be ended may do this. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { mapSchemas } from './documents/map-schemas.ts';
import { hindering } from './documents/schema-errors.ts';
import type { CheckResult } from './messages.ts';

export type Validate = (value: unknown) => CheckResult & { kind: 'match' | 'mismatch' | 'endless' };

/** @param text JSON. @returns why it is no schema, in `message` */
export function compileSchema(text: string): { validate: Validate } | { message: string } {
  try {
    const validate = compile(defused(JSON.parse(text)) as object | boolean);
    return { validate: (value) => validateBy(validate, value) };
  } catch (error) {
    if (error instanceof RangeError) return { message: 'it is nested too deep, or refers to itself without end' };
    return { message: (error as Error).message.slice(0, 500) };
  }
}

/**
 * The schema without keywords by which ajv does something else than validate. They are refused when a version is published; versions of before have them, and
 * are validated by all else that they say.
 */
const defused = (schema: unknown): unknown =>
  mapSchemas(schema, (node) =>
    Object.keys(node).some((keyword) => hindering.has(keyword))
      ? Object.fromEntries(Object.entries(node).filter(([keyword]) => !hindering.has(keyword)))
      : node,
  );

/**
 * Each in an instance of its own: an `$id` is known to no other. Formats are notes to the reader, as the dialect has it. What is referred to is compiled
 * once: ajv would copy it to each reference, and 700 references to 1,500 properties would be a million of them.
 */
function compile(schema: object | boolean): ValidateFunction {
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    ownProperties: true,
    inlineRefs: false,
    logger: false,
  });
  return ajv.compile(schema);
}

function validateBy(validate: ValidateFunction, value: unknown): ReturnType<Validate> {
  try {
    return validate(value) === true ? { kind: 'match' } : mismatch(validate.errors?.[0]);
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'endless' };
    throw error;
  }
}

/** The place in the payload, as a JSON pointer, and what is wrong there. */
function mismatch(error: ErrorObject | undefined): { kind: 'mismatch'; field: string; message: string } {
  const { instancePath = '', params = {}, message = 'does not match', keyword } = error ?? {};
  const { missingProperty, additionalProperty, unevaluatedProperty } = params as Record<string, string | undefined>;
  const name = missingProperty ?? additionalProperty ?? unevaluatedProperty;
  const field = name === undefined ? instancePath : `${instancePath}/${name.replace(/~/g, '~0').replace(/\//g, '~1')}`;
  const said = missingProperty !== undefined ? 'is missing' : name !== undefined ? 'is not described' : message;
  const { allowedValues } = params as { allowedValues?: unknown[] };
  const values = keyword === 'enum' && allowedValues !== undefined ? `: ${JSON.stringify(allowedValues)}` : '';
  return { kind: 'mismatch', field: field.slice(0, 500), message: `${said}${values}`.slice(0, 500) };
}

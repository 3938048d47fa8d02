import { isTagName, isTagValue, maxTagBytes, type Tags } from '#lib/contract';
import { fieldUnder } from '../http/field-errors.ts';
import type { FieldErrors } from '../http/send-problem.ts';

export const tagErrors = (given: Tags): FieldErrors => [
  ...tagNameErrors('/tags', given),
  ...Object.entries(given).flatMap(([name, value]) =>
    isTagValue(value)
      ? []
      : [{ field: fieldUnder('/tags', name), message: `must be text of one line, 1 to ${maxTagBytes} bytes` }],
  ),
];

export const tagNameErrors = (field: string, given: Tags): FieldErrors =>
  Object.keys(given).flatMap((name) =>
    isTagName(name)
      ? []
      : [{ field: fieldUnder(field, name), message: 'must have a name of 1 to 64 letters, digits, `_`, `.` and `-`' }],
  );

import { passRulePattern, problemOfPassRule } from '#lib/contract';
import type { FieldErrors } from '../http/send-problem.ts';

/** `passHeaderErrors` checks which headers these are. */
export const passHeaders = {
  type: 'array',
  maxItems: 50,
  uniqueItems: true,
  items: {
    type: 'string',
    maxLength: 101,
    pattern: passRulePattern,
    description:
      'the name of an HTTP header, or a prefix with an asterisk such as X-GitHub-*; headers that may hold secrets need their whole name',
  },
} as const;

export const passHeaderErrors = (rules: readonly string[]): FieldErrors =>
  rules.flatMap((rule, index) => {
    const message = problemOfPassRule(rule);
    return message === undefined ? [] : [{ field: `/pass_headers/${index}`, message }];
  });

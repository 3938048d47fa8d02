import type { ApiFailure } from '#client';
import { ownPath } from '#lib/html';
import { type PageResult, seeOther } from '../page-result.ts';
import { tenantBase } from '../pages/shell.ts';
import { problemOfFailure } from '../problem-of-failure.ts';
import { usualTenant } from './session.ts';
import type { SignInOutcome } from './session-actions.ts';
import { sessionCookie } from './session-cookie.ts';

interface Options {
  base: string;
  isSecure: boolean;
  /** The path that was wanted. */
  to: string | undefined;
  what: 'key' | 'code';
}

/** The wanted page with the cookie, or the form again. */
export function answerSignIn(outcome: SignInOutcome, { base, isSecure, to, what }: Options): PageResult {
  switch (outcome.kind) {
    case 'signed_in': {
      const wanted = ownPath(to, base) ?? `${base}/`;
      const first = tenantBase(base, outcome.tenant ?? usualTenant);
      return seeOther(wanted === `${base}/` ? first : wanted, {
        'set-cookie': sessionCookie(outcome.token, { face: 'console', isSecure }),
      });
    }
    case 'limited': {
      const { retryAfterSeconds } = outcome;
      const message = `Too many attempts from your address. Try again in ${retryAfterSeconds} seconds.`;
      return { kind: 'sign_in', status: 429, message, retryAfterSeconds, ...(to !== undefined && { to }) };
    }
    case 'failed': {
      const refused = wordsOf(outcome.failure, what);
      return refused === undefined
        ? problemOfFailure(outcome.failure)
        : { kind: 'sign_in', ...refused, ...(to !== undefined && { to }) };
    }
  }
}

function wordsOf(failure: ApiFailure, what: Options['what']): { status: 401 | 403; message: string } | undefined {
  if (failure.kind !== 'problem') return undefined;
  const { status, problem } = failure;
  if (status === 403)
    return { status, message: `${problem.detail ?? 'This key must not make sessions'}: signing in needs it.` };
  if (status !== 401) return undefined;
  return {
    status,
    message:
      what === 'key'
        ? 'This key is not valid. It may have been revoked, or be incomplete.'
        : 'This link was used already, or is too old. Make another one, or sign in with a key.',
  };
}

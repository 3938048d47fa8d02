import { ownPath } from '#lib/html';
import { page, type PageResult, problem } from '../../page-result.ts';
import { publicPage } from '../../page.ts';
import { codePage } from '../../pages/code-page.ts';
import { answerSignIn } from '../../session/answer-sign-in.ts';

/** The API's form of codes. Only the API knows whether one is valid. */
const codePattern = /^hc_[\w-]{1,190}$/;

/** `/session/code`: a session that somebody made for a browser. Looking at the page does not use the code up. */
export const sessionCode = publicPage({
  path: '/session/code',
  title: 'Sign in',
  get: {
    query: ['code', 'to'],
    answer({ base, query }) {
      const link = readLink(query, base);
      return 'refusal' in link ? link.refusal : page(codePage(base, link));
    },
  },
  post: {
    async answer(context) {
      const { base, form, actions } = context;
      const link = readLink(form, base);
      if ('refusal' in link) return link.refusal;
      return answerSignIn(await actions.redeem(link.code), { ...context, to: link.to, what: 'code' });
    },
  },
});

/** `to`: the page to open once signed in, the first page by default. */
function readLink(fields: URLSearchParams, base: string): { code: string; to: string } | { refusal: PageResult } {
  const code = fields.get('code') ?? '';
  const to = ownPath(fields.get('to') ?? `${base}/`, base);
  if (to === undefined) return { refusal: problem(400, { errors: [{ field: 'to', message: notOwn }] }) };
  return codePattern.test(code) ? { code, to } : { refusal: { kind: 'sign_in', status: 400, message: incomplete, to } };
}

const incomplete = 'This link is incomplete. Open all of it, or sign in with a key.';
const notOwn = 'must be a path of this console';

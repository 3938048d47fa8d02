import { page } from '../../page-result.ts';
import { publicPage } from '../../page.ts';
import { codePage } from '../../pages/code-page.ts';
import { answerSignIn } from '../../session/answer-sign-in.ts';

/** As the API makes them; whether one is good, it alone can tell. */
const code = /^hc_[\w-]{1,190}$/;

const notOne = 'This link is incomplete. Open all of it, or sign in with a key.';

/** `/session/code`: a session that somebody made for a browser. Looking at the page does not use the code up. */
export const sessionCode = publicPage({
  path: '/session/code',
  title: 'Sign in',
  get: {
    query: ['code'],
    answer({ base, query }) {
      const given = query.get('code') ?? '';
      return code.test(given)
        ? page(codePage(base, given))
        : { kind: 'sign_in', status: 400, message: notOne, to: `${base}/` };
    },
  },
  post: {
    async answer(context) {
      const { base, form, actions } = context;
      const given = form.get('code') ?? '';
      const to = `${base}/`;
      if (!code.test(given)) return { kind: 'sign_in', status: 400, message: notOne, to };
      return answerSignIn(await actions.redeem(given), { ...context, to, what: 'code' });
    },
  },
});

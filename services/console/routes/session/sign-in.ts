import { publicPage } from '../../page.ts';
import { answerSignIn } from '../../session/answer-sign-in.ts';

/** `POST /session`: makes a session of a key. */
export const signIn = publicPage({
  path: '/session',
  title: 'Sign in',
  post: {
    async answer(context) {
      const { form, actions, idempotencyKey } = context;
      const key = (form.get('key') ?? '').trim();
      const to = form.get('to') ?? undefined;
      const isReadOnly = form.get('read_only') === '1';
      if (!/^[\x21-\x7e]{1,512}$/.test(key))
        return { kind: 'sign_in', status: 400, message: 'Enter a key: letters, digits and signs, without spaces.', to };
      return answerSignIn(await actions.signIn(key, { isReadOnly, idempotencyKey }), { ...context, to, what: 'key' });
    },
  },
});

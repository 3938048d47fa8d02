import { html, ownPath } from '#lib/html';
import { page, type PageResult, problem, seeOther, type TitledContent, type PageContent } from '../page-result.ts';
import { publicPage } from '../page.ts';
import { hiddenKey } from '../ui/form.ts';
import { noSessionCookie } from './cookies.ts';
import { answerSignIn, endSession } from './sign-in.ts';

/** Opening the link shows this button; only the click redeems the code. Link scanners and previews do not use it up. */
const codePage = (base: string, { code, to }: { code: string; to: string }): PageContent => ({
  title: 'Sign in',
  body: html`<form class="card stack sign-in" method="post" action="${base}/session/code"><p class="lead">This link signs you in, once.</p>
<input type="hidden" name="code" value="${code}"><input type="hidden" name="to" value="${to}"><button class="primary">Continue</button></form>`,
});

interface Options {
  base: string;
  /** The path to go on to. */
  to: string;
  /** The error of the last try. */
  message?: string | undefined;
  /** The connection is encrypted, or does not leave the machine. */
  isPrivate: boolean;
  newKey(): string;
}

/** The answer to every page without a session, at the page's own address. */
export function signInPage({ base, to, message, isPrivate, newKey }: Options): TitledContent {
  const error = message === undefined ? null : html`<p class="field-error" id="key-error">${message}</p>`;
  const form = html`<form class="card stack" method="post" action="${base}/session">
${hiddenKey({ newKey })}<input type="hidden" name="to" value="${to}">
<div class="field"><label for="key">API key</label>
<input id="key" name="key" type="password" required autocomplete="current-password" spellcheck="false" maxlength="512"${error && html` aria-invalid="true" aria-describedby="key-error" autofocus`}>
${error}</div>
<label class="check"><input type="checkbox" name="read_only" value="1"> Read-only: this session can’t change anything</label>
${!isPrivate && html`<p class="note note-warn">This connection is not encrypted: others on the network can read the key.</p>`}
<button class="primary">Sign in</button>
<p class="muted">The key itself is not kept: it makes a session, which ends after 12 hours, or after 2 hours without use.</p>
</form>`;
  return {
    title: 'Sign in',
    body: html`<div class="sign-in"><p class="lead">Sign in with an API key to see what it may see.</p>
${form}
<details><summary>Where do I get a key?</summary>
<p>The operator’s key is the setting <code>HOOKLINE_ADMIN_KEY</code>; <code>make up</code> prints where it is. A key of a tenant is made by
<code>./hookline api-keys create</code>, and needs the scope <code>admin</code> to make sessions.</p></details></div>`,
  };
}

/** The API's form of codes. Only the API knows whether one is valid. */
const codePattern = /^hc_[\w-]{1,190}$/;

/** `/session/code`: a session that somebody made for a browser. Looking at the page does not use the code up. */
const sessionCode = publicPage({
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

/** `POST /session`: makes a session of a key. */
const signIn = publicPage({
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

/** `POST /session/end`: ends the session at the API, and has the browser forget it and what it showed. */
const signOut = publicPage({
  path: '/session/end',
  title: 'Sign out',
  post: {
    async answer(context) {
      const { base, isSecure } = context;
      if ((await endSession(context)) !== undefined)
        return problem(503, {
          explanation: 'The session could not be ended, because the API does not answer. You are still signed in.',
          retryAfterSeconds: 5,
        });
      return seeOther(`${base}/`, {
        'clear-site-data': '"cache", "cookies"',
        'set-cookie': noSessionCookie({ face: 'console', isSecure }),
      });
    },
  },
});

/** Signing in and out of the console. The sessions of a tenant are in sessions/. */
export const signInPages = [signIn, signOut, sessionCode];

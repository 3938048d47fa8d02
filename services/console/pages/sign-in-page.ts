import { html, type Html } from '#lib/html';
import type { TitledContent } from '../page-result.ts';
import { hiddenKey } from '../parts/form.ts';

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
export const signInPage = (options: Options): TitledContent => ({
  title: 'Sign in',
  body: html`<div class="sign-in"><p class="lead">Sign in with an API key to see what it may see.</p>
${signInForm(options)}
<details><summary>Where do I get a key?</summary>
<p>The operator’s key is the setting <code>HOOKLINE_ADMIN_KEY</code>; <code>make up</code> prints where it is. A key of a tenant is made by
<code>./hookline api-keys create</code>, and needs the scope <code>admin</code> to make sessions.</p></details></div>`,
});

function signInForm({ base, to, message, isPrivate, newKey }: Options): Html {
  const error = message === undefined ? null : html`<p class="field-error" id="key-error">${message}</p>`;
  return html`<form class="card stack" method="post" action="${base}/session">
${hiddenKey({ newKey })}<input type="hidden" name="to" value="${to}">
<div class="field"><label for="key">API key</label>
<input id="key" name="key" type="password" required autocomplete="current-password" spellcheck="false" maxlength="512"${error && html` aria-invalid="true" aria-describedby="key-error" autofocus`}>
${error}</div>
<label class="check"><input type="checkbox" name="read_only" value="1"> Read-only: this session can’t change anything</label>
${isPrivate ? null : html`<p class="note note-warn">This connection is not encrypted: others on the network can read the key.</p>`}
<button class="primary">Sign in</button>
<p class="muted">The key itself is not kept: it makes a session, which ends after 12 hours, or after 2 hours without use.</p>
</form>`;
}

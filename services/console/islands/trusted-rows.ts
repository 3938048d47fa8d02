import { localizeTimes } from './local-times.ts';

interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML(text: string): string }): { createHTML(text: string): string };
}

/** The only policy that the Content-Security-Policy allows. What passes it was rendered, and escaped, by the console. */
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('hookline', {
  createHTML: (text) => text,
});

/** A fragment of the console's own, such as rows of a table, as nodes to insert. */
export function parseFragment(markup: string): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = policy?.createHTML(markup) ?? markup;
  localizeTimes(template.content);
  return template.content;
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { html, type Html } from '#lib/html';
import { page, type PageContent, type PageResult, problem } from '../page-result.ts';
import { catalogPage } from '../page.ts';
import { codeBlock } from '../ui/text.ts';

interface Language {
  name: string;
  /** In snippets/. */
  byHand: string;
  rawBody: Html;
  libraries?: readonly { name: string; install: string; file: string; note: Html }[];
}

const standardHeaders = html`It reads <code>webhook-id</code>, <code>webhook-timestamp</code> and <code>webhook-signature</code>.`;

/** The languages that there is a page for, by the last part of its path. */
export const languages: Readonly<Record<string, Language>> = {
  node: {
    name: 'Node',
    byHand: 'verify.mjs',
    rawBody: html`In Express, use <code>express.raw({ type: '*/*' })</code> on the route of the webhooks, and no JSON parser before it; in Next, <code>await request.text()</code>.`,
    libraries: [
      {
        name: 'Standard Webhooks',
        install: 'npm install standardwebhooks',
        file: 'with-standard-webhooks.mjs',
        note: standardHeaders,
      },
      { name: 'Svix', install: 'npm install svix', file: 'with-svix.mjs', note: standardHeaders },
      {
        name: 'Stripe',
        install: 'npm install stripe',
        file: 'with-stripe.mjs',
        note: html`It reads <code>Hookline-Signature</code>, which has the form of its own header. It refuses old timestamps, but not future ones.`,
      },
    ],
  },
  python: {
    name: 'Python',
    byHand: 'verify.py',
    rawBody: html`In Flask, it is <code>request.get_data()</code>; in Django <code>request.body</code>; in FastAPI <code>await request.body()</code>. Give the names of the headers in lower case.`,
  },
  go: {
    name: 'Go',
    byHand: 'verify.go',
    rawBody: html`Read it once with <code>io.ReadAll(http.MaxBytesReader(w, r.Body, limit))</code>, verify these bytes, and parse the same ones.`,
  },
};

const folder = join(import.meta.dirname, '../snippets');
/** As they were tried by tests. */
const snippet = (file: string): Html => codeBlock(readFileSync(join(folder, file), 'utf8'));

/** How to verify a request, in one language: for people who copy. */
const howToVerify = ({ name, byHand, rawBody, libraries = [] }: Language): Html =>
  html`<p class="lead">Anybody can send a request to a public URL. Each of ours is signed with the secret of the endpoint, <code>whsec_…</code>, which was shown when the endpoint was created.</p>
<div class="card"><h2>The body as it came</h2><p>The signature is over the exact bytes of the body: verify them before a parser has changed them. ${rawBody}</p></div>
<div class="card"><h2>By hand</h2><p>The key is the base64 after <code>whsec_</code>; what is signed with HMAC-SHA256 is <code>${'<webhook-id>.<webhook-timestamp>.<body>'}</code>. Nothing but what comes with ${name} is needed.</p>
${snippet(byHand)}</div>
${libraries.map(
  ({ name: library, install, file, note }) =>
    html`<div class="card"><h2>With the library of ${library}</h2><p>${note}</p>${codeBlock(install)}${snippet(file)}</div>`,
)}
<div class="card"><h2>Then</h2><ul>
<li>Answer 2xx within five seconds, and work afterwards. Every other answer is sent again; 410 ends it for good.</li>
<li>Keep the <code>webhook-id</code> of what you have received: it is the same when an event comes again.</li>
<li>Don’t rely on the order of events.</li>
</ul></div>`;

/** @param path of the language; 404 for one that there is no page for */
export function verifyPage(path: string, indexing?: PageContent['indexing']): PageResult {
  const language = Object.hasOwn(languages, path) ? languages[path] : undefined;
  if (language === undefined) return problem(404);
  return page({ title: `Verify signatures in ${language.name}`, indexing, body: howToVerify(language) });
}

/** It asks nothing of the API: how to verify can be read whatever is away. */
export const verify = catalogPage({
  path: '/catalog/verify/:language',
  title: 'Verify signatures',
  // The same words for every installation of Hookline.
  answer: ({ params: { language } }) =>
    verifyPage(language, { canonical: `/catalog/verify/${language}`, isIndexed: false }),
});

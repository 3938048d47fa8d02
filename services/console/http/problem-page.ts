import { html, type Html } from '#lib/html';
import type { Problem, ProblemStatus, TitledContent } from '../page-result.ts';
import type { Face } from '../page.ts';
import { portalSections, tenantSections } from '../sections.ts';
import { portalBase, type Shell, tenantBase } from '../ui/shell.ts';

type Words = Record<'title' | 'explanation', string>;

const words: Readonly<Record<ProblemStatus, Words>> = {
  400: { title: 'Something in the request is wrong', explanation: 'Correct what is named below, and send it again.' },
  403: { title: 'You may not do this', explanation: 'This session lacks the permission.' },
  404: {
    title: 'There is nothing here',
    explanation: 'Nothing exists at this address, or it belongs to another tenant. Check that the address is complete.',
  },
  405: { title: 'This page can’t do that', explanation: 'The address exists, but does not take this kind of request.' },
  408: { title: 'The request did not arrive in time', explanation: 'Send it again.' },
  409: {
    title: 'That is not possible now',
    explanation: 'The state of the resource does not allow it. Look at it again.',
  },
  410: {
    title: 'This is gone',
    explanation: 'It was deleted, or its retention time is over. It does not come back.',
  },
  412: {
    title: 'Somebody else has changed it',
    explanation: 'It was changed after you opened it, and nothing was saved. Open it again, and repeat your change.',
  },
  413: { title: 'That is too large', explanation: 'The form is too large. Shorten it.' },
  415: { title: 'This is not a form of the console', explanation: 'Send it as a browser sends a form.' },
  429: { title: 'Too many requests', explanation: 'Wait a moment, then try again.' },
  500: { title: 'The console has failed', explanation: 'This is our mistake. Tell the operator the request id below.' },
  503: {
    title: 'Not available at the moment',
    explanation: 'The API or one of its stores does not answer. Nothing is lost: try again in a few seconds.',
  },
};

/** For readers of the catalog, who know of no tenants, sessions or forms; and for customers, who know of no operator. */
const wordsOfFaces: Readonly<Partial<Record<Face, Partial<Record<ProblemStatus, Partial<Words>>>>>> = {
  catalog: {
    404: {
      explanation: 'No event type is published at this address. Check that its name is complete and spelt correctly.',
    },
    410: { explanation: 'This event type was retired: it is not sent any more, and does not come back.' },
    503: { explanation: 'This page cannot be made now. It was not removed: try again in a few seconds.' },
  },
  portal: {
    403: { title: 'Your link does not allow this', explanation: 'Ask for another link where you got this one.' },
    404: { explanation: 'Nothing exists at this address. Check that the address is complete.' },
    500: { title: 'This page has failed', explanation: 'This is our mistake. Tell us the request id below.' },
    503: { explanation: 'This page cannot be made now. Nothing is lost: try again in a few seconds.' },
  },
};

/** For these, somebody may look into the log. A 404 is the same for everyone who asks, and so has no id. */
const withRequestId: readonly ProblemStatus[] = [403, 408, 409, 429, 500, 503];

/** The content of the page of any problem, which keeps its status. It does not navigate by itself. */
export function problemPage(problem: Problem, shell: Shell, requestId: string): TitledContent {
  const { status, errors = [], retryAfterSeconds: wait } = problem;
  const { title, explanation } = { ...words[status], ...wordsOfFaces[shell.face]?.[status] };
  return {
    title,
    heading: html`<span class="status">${status} </span>${title}`,
    body: html`<div class="problem"><p class="lead">${problem.explanation ?? explanation}</p>
${errors.length > 0 && html`<ul>${errors.map(({ field, message }) => html`<li>${field !== '' && html`<code>${field}</code> `}${message}</li>`)}</ul>`}
${wait !== undefined && html`<p>Try again in ${wait} ${wait === 1 ? 'second' : 'seconds'}.</p>`}
${waysOn(shell)}
${withRequestId.includes(status) && html`<p class="muted">Request <code>${requestId}</code></p>`}</div>`,
  };
}

function waysOn({ base, face, session, tenant }: Shell): Html | undefined {
  if (face === 'catalog') return html`<p><a href="${base}/catalog">All event types</a></p>`;
  if (face === 'portal') return session && waysTo('Continue here:', Object.values(portalSections), portalBase(base));
  if (session === undefined || tenant === undefined) return html`<p><a href="${base}/">To the start</a></p>`;
  return waysTo('Search for its id above, or continue here:', tenantSections(session), tenantBase(base, tenant));
}

const waysTo = (sentence: string, sections: readonly { label: string; path: string }[], at: string): Html =>
  html`<div class="ways"><p>${sentence}</p>
<ul class="links">${sections.map(({ label, path }) => html`<li><a href="${at}${path}">${label}</a></li>`)}</ul></div>`;

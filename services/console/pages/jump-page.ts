import { html, type Html } from '#lib/html';
import { page, type PageResult, type PageStatus } from '../page-result.ts';
import { table } from '../parts/table.ts';
import type { Found, Target } from '../routes/jump/find-targets.ts';

interface JumpPage {
  t: string;
  text: string;
  status: PageStatus;
  body: Html;
}

const jumpPage = ({ t, text, status, body }: JumpPage): PageResult =>
  page({
    title: 'Search',
    status,
    body: html`<form class="filters" action="${t}/jump"><div class="field"><label for="jump">Id, type, tag, URL or name</label><input id="jump" name="q" value="${text}" maxlength="200" spellcheck="false" autocomplete="off"></div>
<div class="filter-buttons"><button>Search</button></div></form>${body}`,
  });

/** Several things have it. */
export const candidatesPage = (t: string, text: string, { targets, unfinished }: Found): PageResult =>
  jumpPage({
    t,
    text,
    status: 200,
    body: html`${
      targets.length > 0
        ? table<Target>({
            caption: `What “${text}” may be`,
            rows: targets,
            href: ({ href }) => t + href,
            columns: [
              { header: 'Name', cell: ({ label }) => html`<bdi>${label}</bdi>` },
              { header: 'Kind', cell: ({ kind }) => kind },
            ],
          })
        : html`<div class="empty"><h2>Nothing found yet</h2><p>Not all events have been looked at. Go on in the list:</p></div>`
    }${
      unfinished.length > 0 &&
      html`<ul class="links">${unfinished.map(({ href, kind }) => html`<li><a href="${t}${href}">${kind}: look at older events</a></li>`)}</ul>`
    }`,
  });

export const nothingPage = (t: string, text: string): PageResult =>
  jumpPage({
    t,
    text,
    status: 404,
    body: html`<div class="empty"><h2>Nothing has this</h2><p>Ids of events, receipts, deliveries, dead letters, endpoints, sources, replays and keys are found when they are whole, and so are the sender’s id, a type, a tag as <code>name:value</code>, and a trace of 32 hexadecimal digits. Endpoints and sources are found by a part of their URL or name.</p><p><a href="${t}/events/search">Search in payloads</a></p></div>`,
  });

export const tooShortPage = (t: string, text: string): PageResult =>
  jumpPage({
    t,
    text,
    status: 400,
    body: html`<div class="empty"><h2>That is too short</h2><p>Enter at least three characters.</p></div>`,
  });

import { html, type Html } from '#lib/html';
import { path, withQuery } from '../../api-calls/paths.ts';
import { page, problem } from '../../page-result.ts';
import { tenantPage } from '../../page.ts';
import { rejectionWords } from '../../pages/sources/rejection-words.ts';
import { byteCount } from '../../parts/byte-count.ts';
import { count } from '../../parts/count.ts';
import { definitions } from '../../parts/definitions.ts';
import { hexDump } from '../../parts/hex-dump.ts';
import { jsonText } from '../../parts/json-text.ts';
import { wholeId } from '../../parts/short-id.ts';
import { table } from '../../parts/table.ts';
import { time } from '../../parts/time.ts';
import { findRejection } from './find-rejection.ts';
import type { Rejection, Source } from './source.ts';

/** `T/sources/:id/rejections/:rejection` */
export const rejection = tenantPage({
  path: '/sources/:id/rejections/:rejection',
  title: 'Rejected webhook',
  section: 'sources',
  get: {
    async answer({ api, params, t }) {
      const source = await api.get<Source>(path`/sources/${params.id}`);
      const found = await findRejection(api, { source: params.id, id: params.rejection });
      if (found === undefined) return problem(404);
      const href = `${t}/sources/${source.id}`;
      return page({
        title: rejectionWords(found.code),
        subtitle: wholeId(found.id),
        crumbs: [
          { label: 'Sources', href: `${t}/sources` },
          { label: source.name, href },
          { label: 'Rejected webhooks', href: `${href}/rejections` },
        ],
        actions: html`<a class="button primary" href="${withQuery(`${href}/verify`, { rejection: found.id })}">Why is it wrong?</a>`,
        body: rejectionView(found),
      });
    },
  },
});

const rejectionView = (found: Rejection): Html =>
  html`<section class="card">${definitions([
    ['Rejected', time(found.at)],
    ['Answered with', html`<code>${found.code}</code>`],
    ['From', html`<code>${found.client_address}</code>`],
    ['Body', found.body_bytes === null ? 'length unknown' : `${count(found.body_bytes)} bytes`],
  ])}</section>
<section class="card"><h2>Headers</h2><p class="muted">Possible secrets are masked.</p>${table({
    caption: 'Headers',
    rows: Object.entries(found.headers).flatMap(([name, values]) =>
      [values].flat().map((value) => ({ name, value: String(value) })),
    ),
    columns: [
      { header: 'Name', cell: ({ name }) => html`<code>${name}</code>` },
      { header: 'Value', cell: ({ value }) => html`<code>${value}</code>` },
    ],
  })}</section>
<section class="card"><h2>Body</h2>${bodyView(found)}</section>`;

function bodyView({ body, body_encoding: encoding, body_truncated: isCut, body_bytes: bytes }: Rejection): Html {
  if (body === undefined)
    return bytes === 0
      ? html`<p>Empty: 0 bytes.</p>`
      : html`<p>Not kept. To keep the bodies of later ones, set “Keep the bodies of rejected webhooks” at the source.</p>`;
  return html`${isCut === true && html`<p class="note">Only the beginning was kept.</p>`}${
    encoding === 'base64' ? bytesView(Buffer.from(body, 'base64')) : jsonText(body)
  }`;
}

const maxShownBytes = 8_192;

const bytesView = (kept: Buffer): Html =>
  html`<p class="muted">Not text${kept.length > maxShownBytes && `; the first ${byteCount(maxShownBytes)} of what was kept`}.</p>${hexDump(kept, maxShownBytes)}`;

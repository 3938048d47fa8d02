import type { Rejection } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { problemCodes } from '#lib/problem';
import { withQuery } from '../api-calls/calls.ts';
import type { ReadApi } from '../api-calls/console-api.ts';
import { page, problem } from '../page-result.ts';
import { tenantPage } from '../page.ts';
import { type Column, headersTable } from '../ui/lists.ts';
import { listPage, listParameters } from '../ui/list-page.ts';
import { byteCount, hexDump, jsonText } from '../ui/payload.ts';
import { count, definitions, inWords, shortId, wholeId } from '../ui/text.ts';
import { time } from '../ui/times.ts';
import { sourceOf } from './read.ts';
import { crumbsOf } from './views.ts';

/** Why a webhook was rejected, as its sender was told. */
function rejectionWords(code: string): string {
  const known = Object.hasOwn(problemCodes, code) ? problemCodes[code as keyof typeof problemCodes] : undefined;
  return known?.title ?? inWords(code);
}

export const rejectionColumns: readonly Column<Rejection>[] = [
  { header: 'Rejected', cell: ({ at }) => time(at) },
  { header: 'Why', cell: ({ code }) => rejectionWords(code) },
  { header: 'From', cell: ({ client_address: address }): Html => html`<code>${address}</code>` },
  { header: 'Bytes', isNumber: true, cell: ({ body_bytes: bytes }) => (bytes === null ? '–' : count(bytes)) },
  { header: 'Id', cell: ({ id }) => shortId(id) },
];

const pattern = /^rej_[0-9a-hjkmnp-tv-z]{26}$/;
/** The digits of ids, in their order. */
const digits = '0123456789abcdefghjkmnpqrstvwxyz';

/** One of a source: the API lists them only, newest first, so it is the first of those before the next id. */
export async function findRejection(
  api: ReadApi,
  { source, id }: { source: string; id: string },
): Promise<Rejection | undefined> {
  const after = pattern.test(id) ? nextId(id) : undefined;
  if (after === undefined) return undefined;
  const query = { cursor: after, limit: 1 };
  const [found] = await api.call('GET /v1/sources/:id/rejections', { params: { id: source }, query });
  return found?.id === id ? found : undefined;
}

/** The id that comes next in their order; undefined for the last of all. */
export function nextId(id: string): string | undefined {
  const [, kept = '', digit = '', highest = ''] = /^(.*?)([^z])(z*)$/.exec(id) ?? [];
  const next = digits[digits.indexOf(digit) + 1];
  return digit === '' || digit === '_' || next === undefined ? undefined : kept + next + '0'.repeat(highest.length);
}

/** `T/sources/:id/rejections`: webhooks that were refused lately, newest first. */
export const rejections = tenantPage({
  path: '/sources/:id/rejections',
  title: 'Rejected webhooks',
  section: 'sources',
  get: {
    query: listParameters([]),
    async answer(context) {
      const { api, params, query, t } = context;
      const source = await sourceOf(context);
      const href = `${t}/sources/${source.id}`;
      const answer = listPage<Rejection>(context, {
        title: 'Rejected webhooks',
        href: `${href}/rejections`,
        listed: await api.list('GET /v1/sources/:id/rejections', { params, query }),
        row: ({ id }) => `${href}/rejections/${id}`,
        columns: rejectionColumns,
        pagerWords: { prev: 'Newer', next: 'Older' },
        empty: {
          title: 'Nothing was rejected lately',
          body: 'A webhook with a wrong signature, or from an address that may not send, would be here, with the reason.',
        },
      });
      return answer.kind === 'page' ? { ...answer, crumbs: crumbsOf(source, t) } : answer;
    },
  },
});

/** `T/sources/:id/rejections/:rejection` */
export const rejection = tenantPage({
  path: '/sources/:id/rejections/:rejection',
  title: 'Rejected webhook',
  section: 'sources',
  get: {
    async answer(context) {
      const { api, params, t } = context;
      const source = await sourceOf(context);
      const found = await findRejection(api, { source: params.id, id: params.rejection });
      if (found === undefined) return problem(404);
      const href = `${t}/sources/${source.id}`;
      return page({
        title: rejectionWords(found.code),
        subtitle: wholeId(found.id),
        crumbs: crumbsOf(source, t, { label: 'Rejected webhooks', href: `${href}/rejections` }),
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
<section class="card"><h2>Headers</h2><p class="muted">Possible secrets are masked.</p>${headersTable('Headers', found.headers)}</section>
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

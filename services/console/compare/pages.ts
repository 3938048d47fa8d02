import type { Attempt } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { path, type Payload, readPayload, withQuery } from '../api-calls/calls.ts';
import type { FieldError, ReadApi } from '../api-calls/console-api.ts';
import { page, type PageResult, problem } from '../page-result.ts';
import { tenantPage } from '../page.ts';
import { crumbsTo } from '../sections.ts';
import { diffView, lineDiff } from '../ui/diff.ts';
import { errorSummary, textField } from '../ui/form.ts';
import { byteCount, hexLine, indentedJson, payloadText } from '../ui/payload.ts';
import { inWords, plural } from '../ui/text.ts';

/** A request and its answer as lines, as they go over the wire. */
function attemptLines({ request, outcome, http_status: status, detail, ...answer }: Attempt): readonly string[] {
  const { response_headers: headers, response_excerpt: excerpt, response_excerpt_encoding: encoding } = answer;
  return [
    ...(request === null
      ? ['(nothing was sent)']
      : [`${request.method} ${request.url}`, ...headerLines(request.headers)]),
    '',
    `outcome: ${inWords(outcome)}${status === null ? '' : `, status ${status}`}`,
    ...(detail === null ? [] : [`detail: ${detail}`]),
    ...(headers === null ? ['(no response)'] : headerLines(headers)),
    ...(excerpt === null || excerpt === ''
      ? []
      : ['', ...(encoding === 'base64' ? ['(base64)'] : []), ...excerpt.split('\n')]),
  ];
}

const headerLines = (headers: Readonly<Record<string, string>>): string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

/** The limit of a payload that is not text. */
const maxHexBytes = 65_536;
const bytesPerLine = 16;

/** A payload in lines: JSON one token after the other, so that two that were sent in one line differ in a few. */
export async function payloadLines(payload: Payload): Promise<readonly string[]> {
  const text = await payloadText(payload);
  switch (text.kind) {
    case 'empty':
      return [];
    case 'json':
      return indentedJson(text.text).split('\n');
    case 'text':
      return text.text.split('\n');
    case 'binary':
    case 'encoded': {
      const length = Math.ceil(Math.min(text.bytes.length, maxHexBytes) / bytesPerLine);
      return Array.from({ length }, (_, line) => hexLine(text.bytes, line * bytesPerLine));
    }
  }
}

interface Compared {
  sides?: readonly [Side, Side];
  errors?: readonly FieldError[];
}

/** Two payloads or two attempts, line by line. Without both: the form to choose them. */
function comparePage(t: string, [a, b]: readonly [string, string], { sides, errors = [] }: Compared): PageResult {
  return page({
    status: errors.length > 0 ? 400 : 200,
    crumbs: crumbsTo(t, 'events'),
    ...(sides && { actions: html`<a class="button" href="${withQuery(`${t}/compare`, { a: b, b: a })}">Swap</a>` }),
    body: html`${errorSummary(errors)}
<form class="filters compare" action="${t}/compare">
${textField({ name: 'a', label: 'From', value: a, errors, isRequired: true })}
${textField({ name: 'b', label: 'To', value: b, errors, isRequired: true })}
<div class="filter-buttons"><button>Compare</button></div></form>
${sides === undefined ? howTo : differences(t, sides)}`,
  });
}

const howTo = html`<p class="note">Enter the ids of two events to compare their payloads, or two attempts: the id of the delivery, a slash and the number of the attempt, such as <code>dlv_…/2</code>.</p>`;

function differences(t: string, [left, right]: readonly [Side, Side]): Html {
  const what = left.name.kind === 'payload' ? 'payloads' : 'attempts';
  const head = html`<p>From ${sideLink(t, left.name)} (−) to ${sideLink(t, right.name)} (+)</p>`;
  if (left.bytes.equals(right.bytes))
    return html`${head}<p class="note note-good">Equal: both ${what} are the same${left.name.kind === 'payload' ? `, byte for byte (${byteCount(left.bytes.length)})` : ''}.</p>`;
  const lines = lineDiff(left.lines, right.lines);
  const added = lines.filter(({ kind }) => kind === 'added').length;
  const removed = lines.filter(({ kind }) => kind === 'removed').length;
  if (added + removed === 0)
    return html`${head}<p class="note">The values are equal; only the whitespace between them differs, or how they were encoded (${byteCount(left.bytes.length)} and ${byteCount(right.bytes.length)}).</p>`;
  return html`${head}<p class="muted">${plural(removed, 'line')} removed, ${plural(added, 'line')} added</p>${diffView(lines, { left: labelOf(left.name), right: labelOf(right.name) })}`;
}

const labelOf = (name: SideName): string =>
  name.kind === 'payload' ? name.eventId : `attempt ${name.number} of ${name.deliveryId}`;

const sideLink = (t: string, name: SideName): Html =>
  html`<a href="${t}${name.kind === 'payload' ? path`/events/${name.eventId}` : path`/deliveries/${name.deliveryId}`}"><code>${labelOf(name)}</code></a>`;

/** The sides that can be compared: the payload of an event, or an attempt of a delivery. */
type SideName = { kind: 'payload'; eventId: string } | { kind: 'attempt'; deliveryId: string; number: number };

interface Side {
  name: SideName;
  lines: readonly string[];
  /** The bytes that must be the same for the two to be equal. */
  bytes: Buffer;
}

const mostAttempts = 1_000;

/** `evt_…`, or a delivery and the number of its attempt: `dlv_…/2`, also with `:` or `.` between. Undefined for anything else. */
function readSideName(text: string): SideName | undefined {
  if (/^evt_[0-9a-z]{1,100}$/.test(text)) return { kind: 'payload', eventId: text };
  const [, deliveryId, number] = /^(dlv_[0-9a-z]{1,100})[/:.](\d{1,6})$/.exec(text) ?? [];
  return deliveryId === undefined ? undefined : { kind: 'attempt', deliveryId, number: Number(number) };
}

/** @returns the status that says why there is no such attempt. @throws ApiError 404, 410 */
async function readSide(api: ReadApi, name: SideName): Promise<Side | 404 | 410> {
  if (name.kind === 'payload') {
    const payload = await readPayload(api, name.eventId);
    return { name, lines: await payloadLines(payload), bytes: payload.bytes };
  }
  const listed = await api.list('GET /v1/deliveries/:id/attempts', {
    params: { id: name.deliveryId },
    query: { limit: mostAttempts },
  });
  const attempt = listed.ok ? listed.items.find(({ attempt: number }) => number === name.number) : undefined;
  if (attempt === undefined) {
    const { attempts } = await api.call('GET /v1/deliveries/:id', { params: { id: name.deliveryId } });
    return name.number >= 1 && name.number <= attempts ? 410 : 404;
  }
  const lines = attemptLines(attempt);
  return { name, lines, bytes: Buffer.from(lines.join('\n')) };
}

const wrongName = 'must be the id of an event, or a delivery with the number of an attempt, such as dlv_…/2';

/** `T/compare?a=&b=`: two payloads, or two attempts. */
const compare = tenantPage({
  path: '/compare',
  title: 'Compare',
  section: 'events',
  get: {
    query: ['a', 'b'],
    async answer({ api, query, t }) {
      const asked = [query.get('a')?.trim() ?? '', query.get('b')?.trim() ?? ''] as const;
      const [a, b] = asked;
      const [left, right] = [readSideName(a), readSideName(b)];
      const errors = [
        ...(a !== '' && left === undefined ? [{ field: 'a', message: wrongName }] : []),
        ...(b !== '' && right === undefined ? [{ field: 'b', message: wrongName }] : []),
        ...(left !== undefined && right !== undefined && left.kind !== right.kind
          ? [{ field: 'b', message: `must be ${left.kind === 'payload' ? 'an event' : 'an attempt'}, too` }]
          : []),
      ];
      if (errors.length > 0 || left === undefined || right === undefined) return comparePage(t, asked, { errors });
      const [one, other] = await Promise.all([readSide(api, left), readSide(api, right)]);
      if (typeof one === 'number') return problem(one);
      return typeof other === 'number' ? problem(other) : comparePage(t, asked, { sides: [one, other] });
    },
  },
});

/** `T/compare`: payloads of events, and attempts of deliveries. */
export const comparePages = [compare];

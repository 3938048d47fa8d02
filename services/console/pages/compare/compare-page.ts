import { html, type Html } from '#lib/html';
import { path, withQuery } from '../../api-calls/paths.ts';
import type { FieldError } from '../../api-calls/console-api.ts';
import { page, type PageResult } from '../../page-result.ts';
import { byteCount } from '../../parts/byte-count.ts';
import { diffView } from '../../parts/diff-view.ts';
import { errorSummary } from '../../parts/error-summary.ts';
import { textField } from '../../parts/fields.ts';
import { lineDiff } from '../../parts/line-diff.ts';
import type { Side, SideName } from '../../routes/compare/side.ts';

interface Comparison {
  t: string;
  /** As it was asked for. */
  a: string;
  b: string;
  sides?: readonly [Side, Side];
  errors?: readonly FieldError[];
}

/** Two payloads or two attempts, line by line. Without both: the form to choose them. */
export function comparePage({ t, a, b, sides, errors = [] }: Comparison): PageResult {
  return page({
    status: errors.length > 0 ? 400 : 200,
    title: 'Compare',
    crumbs: [{ label: 'Events', href: `${t}/events` }],
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
  return html`${head}<p class="muted">${lineCount(removed)} removed, ${lineCount(added)} added</p>${diffView(lines, { left: labelOf(left.name), right: labelOf(right.name) })}`;
}

const lineCount = (lines: number): string => (lines === 1 ? '1 line' : `${lines.toLocaleString('en')} lines`);

const labelOf = (name: SideName): string =>
  name.kind === 'payload' ? name.eventId : `attempt ${name.number} of ${name.deliveryId}`;

const sideLink = (t: string, name: SideName): Html =>
  html`<a href="${t}${name.kind === 'payload' ? path`/events/${name.eventId}` : path`/deliveries/${name.deliveryId}`}"><code>${labelOf(name)}</code></a>`;

import { html, type Html } from '#lib/html';
import type { TenantContext } from '../../page.ts';
import { byteCount } from '../../parts/byte-count.ts';
import { codeBlock } from '../../parts/code-block.ts';
import { definitions } from '../../parts/definitions.ts';
import { hexDump } from '../../parts/hex-dump.ts';
import { milliseconds } from '../../parts/milliseconds.ts';
import { detailText, outcomeBadge } from '../../parts/outcome.ts';
import { phaseBar, phases, phaseTerm } from '../../parts/phase-bar.ts';
import { table } from '../../parts/table.ts';
import { time } from '../../parts/time.ts';
import type { Attempt, Delivery } from '../../routes/deliveries/delivery.ts';
import { totalMs } from './attempts-table.ts';
import { curlCommand, hasMask, payloadCommand, verifyCommand } from './as-curl.ts';

/** The request that was sent, and the response. */
export function attemptPage(
  attempt: Attempt,
  delivery: Pick<Delivery, 'event_id'>,
  { t, isCustomer }: Pick<TenantContext, 't' | 'isCustomer'>,
): Html {
  return html`<div class="card">${attemptFacts(attempt)}</div>
<section class="part"><h2>Request</h2>${requestView(attempt, delivery.event_id, t)}</section>
<section class="part"><h2>Response</h2>${responseView(attempt)}</section>
${!isCustomer && curlDetails(attempt, delivery.event_id)}`;
}

/** The attempt's outcome, and where its time went. */
function attemptFacts(attempt: Attempt): Html {
  const { at, outcome, http_status: httpStatus, detail, timing, duration_ms: duration } = attempt;
  const told = detailText(detail, httpStatus);
  return html`${definitions([
    ['Outcome', outcomeBadge({ outcome, httpStatus })],
    told !== undefined && ['Detail', told],
    ['Ended at', time(at)],
    ['Total', milliseconds(duration)],
    ...(timing === null ? [] : phases.map((phase) => [phaseTerm(phase), milliseconds(timing[phase.name])] as const)),
  ])}${phaseBar(timing, totalMs(attempt))}`;
}

function requestView({ request }: Attempt, eventId: string, t: string): Html {
  if (request === null) return html`<p class="note">Nothing was sent.</p>`;
  return html`<pre class="code" tabindex="0">${request.method} ${request.url}</pre>${headersTable('Headers of the request', request.headers)}
<p>The body is the <a href="${t}/events/${encodeURIComponent(eventId)}/payload">payload of the event</a>, byte for byte.</p>`;
}

function responseView({ request, http_status: status, response_headers: headers, ...attempt }: Attempt): Html {
  if (status === null)
    return html`<p class="note">${request === null ? 'No response: nothing was sent.' : 'The receiver sent no response.'}</p>`;
  return html`<pre class="code" tabindex="0">HTTP ${status}</pre>${headers !== null && headersTable('Headers of the response', headers)}
${bodyView(attempt)}`;
}

/** Where the API cuts it. */
const excerptBytes = 8_192;

function bodyView({
  response_excerpt: excerpt,
  response_excerpt_encoding: encoding,
}: Pick<Attempt, 'response_excerpt' | 'response_excerpt_encoding'>): Html {
  if (excerpt === null) return html`<p class="muted">The body was empty, or is not kept.</p>`;
  const bytes = Buffer.from(excerpt, encoding === 'text' ? 'utf8' : 'base64');
  const isCut = bytes.length > excerptBytes - 4;
  const size = html`<p class="muted">${isCut ? `The first ${byteCount(bytes.length)} of the body` : `The body, ${byteCount(bytes.length)}`}${encoding === 'base64' && ', which is not text'}</p>`;
  return html`${size}${encoding === 'text' ? html`<pre class="code response" tabindex="0">${`\n${excerpt}`}</pre>` : hexDump(bytes, excerptBytes)}`;
}

function headersTable(caption: string, headers: Readonly<Record<string, string>>): Html {
  const rows = Object.entries(headers);
  if (rows.length === 0) return html`<p class="muted">No headers.</p>`;
  return table({
    caption,
    rows,
    columns: [
      { header: 'Header', cell: ([name]) => html`<code>${name}</code>` },
      { header: 'Value', cell: ([, value]) => html`<code>${value}</code>` },
    ],
  });
}

/** The attempt as commands, for whoever wants to see it fail by hand. */
export function curlDetails({ attempt, request }: Attempt, eventId: string): Html | null {
  if (request === null) return null;
  const verify = verifyCommand(request);
  return html`<details class="card commands"><summary>Attempt ${attempt} as curl, and its signature</summary>
<p>The body first, then the request as it was sent.${hasMask(request) && html` Where it says <code>***</code>, put in the secret value.`}</p>
${codeBlock(payloadCommand(eventId))}${codeBlock(curlCommand(request))}
${verify !== undefined && html`<p>Verify its signature with the endpoint’s secret:</p>${codeBlock(verify)}`}</details>`;
}

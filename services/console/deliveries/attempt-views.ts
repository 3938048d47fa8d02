import type { Attempt, Delivery } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import type { TenantContext } from '../page.ts';
import { phaseBar, phases, phaseTerm } from '../ui/chart.ts';
import { headersTable } from '../ui/lists.ts';
import { byteCount, hexDump } from '../ui/payload.ts';
import { detailText, outcomeBadge } from '../ui/status.ts';
import { definitions } from '../ui/text.ts';
import { milliseconds, time } from '../ui/times.ts';
import { curlDetails } from './as-curl.ts';
import { totalMs } from './views.ts';

/** An attempt as commands for a shell. Nothing of it is trusted: names, values and URLs are single words, whatever they hold. */

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
  return html`<pre class="code" tabindex="0">${request.method} ${request.url}</pre>${headersOf('Headers of the request', request.headers)}
<p>The body is the <a href="${t}/events/${encodeURIComponent(eventId)}/payload">payload of the event</a>, byte for byte.</p>`;
}

function responseView({ request, http_status: status, response_headers: headers, ...attempt }: Attempt): Html {
  if (status === null)
    return html`<p class="note">${request === null ? 'No response: nothing was sent.' : 'The receiver sent no response.'}</p>`;
  return html`<pre class="code" tabindex="0">HTTP ${status}</pre>${headers !== null && headersOf('Headers of the response', headers)}
${bodyView(attempt)}`;
}

/** Where the API cuts it. */
const excerptBytes = 8_192;

type Body = Pick<Attempt, 'response_excerpt' | 'response_excerpt_encoding'>;

function bodyView({ response_excerpt: excerpt, response_excerpt_encoding: encoding }: Body): Html {
  if (excerpt === null) return html`<p class="muted">The body was empty, or is not kept.</p>`;
  const bytes = Buffer.from(excerpt, encoding === 'text' ? 'utf8' : 'base64');
  const isCut = bytes.length > excerptBytes - 4;
  const size = html`<p class="muted">${isCut ? `The first ${byteCount(bytes.length)} of the body` : `The body, ${byteCount(bytes.length)}`}${encoding === 'base64' && ', which is not text'}</p>`;
  return html`${size}${encoding === 'text' ? html`<pre class="code response" tabindex="0">${`\n${excerpt}`}</pre>` : hexDump(bytes, excerptBytes)}`;
}

const headersOf = (caption: string, headers: Readonly<Record<string, string>>): Html =>
  headersTable(caption, headers, 'Header') ?? html`<p class="muted">No headers.</p>`;

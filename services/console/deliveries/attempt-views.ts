import { html, type Html } from '#lib/html';
import type { TenantContext } from '../page.ts';
import { phaseBar, phases, phaseTerm } from '../ui/chart.ts';
import { table } from '../ui/lists.ts';
import { byteCount, hexDump } from '../ui/payload.ts';
import { detailText, outcomeBadge } from '../ui/status.ts';
import { codeBlock, definitions, shellLines, shellWord } from '../ui/text.ts';
import { milliseconds, time } from '../ui/times.ts';
import type { Attempt, Delivery } from './read.ts';
import { totalMs } from './views.ts';

/** An attempt as commands for a shell. Nothing of it is trusted: names, values and URLs are single words, whatever they hold. */

type Sent = NonNullable<Attempt['request']>;

const mask = '***';

const hasMask = ({ url, headers }: Sent): boolean =>
  url.includes(mask) || Object.values(headers).some((value) => value.includes(mask));

/** Downloads the payload, whose bytes are the body of every attempt. */
const payloadCommand = (eventId: string): string =>
  shellLines([
    'curl -fsS -o payload',
    '-H "Authorization: Bearer $HOOKLINE_ADMIN_KEY"',
    `"$HOOKLINE_API_URL"/v1/events/${shellWord(eventId)}/payload`,
  ]);

/** Headers that curl sets by itself, or that belong to the connection. */
const ownHeaders = ['content-length', 'connection', 'host'];

/** The same request again, signatures included. */
const curlCommand = ({ method, url, headers }: Sent): string =>
  shellLines([
    `curl -i -X ${shellWord(method)}`,
    ...Object.entries(headers)
      .filter(([name]) => !ownHeaders.includes(name.toLowerCase()))
      // A header without a value ends with a semicolon, or curl leaves it out.
      .map(([name, value]) => `-H ${shellWord(value === '' ? `${name};` : `${name}: ${value}`)}`),
    '--data-binary @payload',
    // Nothing in it is a pattern.
    `--globoff ${shellWord(url)}`,
  ]);

const standardHeaders = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];

/** Verifies the signature at the time of the attempt. Undefined: it was not signed. */
function verifyCommand({ headers }: Sent): string | undefined {
  const signed = standardHeaders.map((name) => [name, headers[name]] as const);
  const timestamp = headers['webhook-timestamp'];
  if (timestamp === undefined || signed.some(([, value]) => value === undefined)) return undefined;
  return shellLines([
    'hookline verify --scheme standard-webhooks --secret "$SECRET"',
    ...signed.map(([name, value]) => `--header ${shellWord(`${name}: ${value}`)}`),
    `--now ${shellWord(timestamp)} --body-file payload`,
  ]);
}

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

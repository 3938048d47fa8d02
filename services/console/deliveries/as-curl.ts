import type { Attempt } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { codeBlock, shellLines, shellWord } from '../ui/text.ts';

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

/** The attempt as commands, for whoever wants to see it fail by hand. */
export function curlDetails({ attempt, request }: Attempt, eventId: string): Html | null {
  if (request === null) return null;
  const verify = verifyCommand(request);
  return html`<details class="card commands"><summary>Attempt ${attempt} as curl, and its signature</summary>
<p>The body first, then the request as it was sent.${hasMask(request) && html` Where it says <code>***</code>, put in the secret value.`}</p>
${codeBlock(payloadCommand(eventId))}${codeBlock(curlCommand(request))}
${verify !== undefined && html`<p>Verify its signature with the endpoint’s secret:</p>${codeBlock(verify)}`}</details>`;
}

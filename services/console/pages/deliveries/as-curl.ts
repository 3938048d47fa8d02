/** An attempt as commands for a shell. Nothing of it is trusted: names, values and URLs are single words, whatever they hold. */
import { shellLines, shellWord } from '../../parts/shell-words.ts';
import type { Attempt } from '../../routes/deliveries/delivery.ts';

type Sent = NonNullable<Attempt['request']>;

const mask = '***';

export const hasMask = ({ url, headers }: Sent): boolean =>
  url.includes(mask) || Object.values(headers).some((value) => value.includes(mask));

/** Downloads the payload, whose bytes are the body of every attempt. */
export const payloadCommand = (eventId: string): string =>
  shellLines([
    'curl -fsS -o payload',
    '-H "Authorization: Bearer $HOOKLINE_ADMIN_KEY"',
    `"$HOOKLINE_API_URL"/v1/events/${shellWord(eventId)}/payload`,
  ]);

/** Headers that curl sets by itself, or that belong to the connection. */
const ownHeaders = ['content-length', 'connection', 'host'];

/** The same request again, signatures included. */
export const curlCommand = ({ method, url, headers }: Sent): string =>
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
export function verifyCommand({ headers }: Sent): string | undefined {
  const signed = standardHeaders.map((name) => [name, headers[name]] as const);
  const timestamp = headers['webhook-timestamp'];
  if (timestamp === undefined || signed.some(([, value]) => value === undefined)) return undefined;
  return shellLines([
    'hookline verify --scheme standard-webhooks --secret "$SECRET"',
    ...signed.map(([name, value]) => `--header ${shellWord(`${name}: ${value}`)}`),
    `--now ${shellWord(timestamp)} --body-file payload`,
  ]);
}

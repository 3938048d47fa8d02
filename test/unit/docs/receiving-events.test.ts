import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpointDefaults, maxPayloadText } from '#lib/contract';
import { signatureHeaders, signingSecret } from '#lib/signatures';
import { endpointFailingField } from '#lib/config';
import { maxExcerptBytes } from '../../../libs/http-client/limits.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/receiving-events.md'), 'utf8');
const flat = page.replace(/\s+/g, ' ');
const { retry, timeout_ms: timeoutMs, max_in_flight: maxInFlight } = endpointDefaults;

/** As a reader wants it: 5 seconds, 3 minutes, 12 hours. */
const inWords = (seconds: number): string =>
  seconds < 120
    ? `${seconds} seconds`
    : seconds < 7_200
      ? `${Math.round(seconds / 60)} minutes`
      : `${Math.round(seconds / 3_600)} hours`;

test.each([
  ['the limit of a payload', `Allow for ${maxPayloadText}, the most`],
  ['the time-out', `Answer within ${timeoutMs / 1_000} seconds`],
  ['the part of an answer that is kept', `its first ${maxExcerptBytes / 1_024} KiB`],
  [
    'the formula of the waits',
    `up to ${retry.base_seconds} s · 2<sup>*n*−1</sup>, at most ${inWords(retry.cap_seconds)}`,
  ],
  ['the cap of Retry-After', `more than ${inWords(retry.cap_seconds)} count as ${inWords(retry.cap_seconds)}`],
  ['the window of retries', `until ${inWords(retry.window_seconds)} after the delivery was created`],
  ['how many requests run at once', `(${maxInFlight} at once)`],
  ['when a failing endpoint is disabled', `for ${Number(endpointFailingField.defaultText) / 86_400} days is disabled`],
])('docs/receiving-events.md has %s as the code has it', (_name, text) => {
  expect(flat).toContain(text);
});

test('its table of retries is that of the formula', () => {
  const rows = [...page.matchAll(/^\| (\d+)( and later)? \| ([\w ]+) \|$/gm)];
  expect(rows.length).toBeGreaterThan(4);
  for (const [, retryNumber, , words] of rows) {
    const seconds = Math.min(retry.cap_seconds, retry.base_seconds * 2 ** (Number(retryNumber) - 1));
    expect([retryNumber, words]).toEqual([retryNumber, inWords(seconds)]);
  }
});

test('it has every header that is signed', () => {
  const names = Object.keys(
    signatureHeaders({ secrets: [signingSecret('whsec_AAAA')], id: 'evt_1', timestampSeconds: 1, body: '' }),
  );
  const documented = [...page.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name = '']) => name.toLowerCase());
  expect(names.filter((name) => !documented.includes(name))).toEqual([]);
});

test('no line has trailing spaces, and the page leads to files that there are', () => {
  expect(page).not.toMatch(/ $/m);
  for (const [, file = ''] of page.matchAll(/\]\(([\w-]+\.md)\)/g))
    expect(() => readFileSync(join(import.meta.dirname, '../../../docs', file))).not.toThrow();
});

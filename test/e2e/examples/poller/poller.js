// Follows the events by polling, with nothing but Node:
//
//   HOOKLINE_API_URL=http://127.0.0.1:8081 HOOKLINE_API_KEY=… STATE=poller.json SINCE=2026-01-01T00:00:00Z node poller.js
//
// The cursor is kept in a file after the work for its page: a poller that dies gets that page again, and misses nothing. An event comes
// each time it has changed.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const { HOOKLINE_API_URL, HOOKLINE_API_KEY, STATE = 'poller.json', SINCE, WAIT_SECONDS = '30' } = process.env;
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());

// Your work.
async function handle(event) {
  console.log(`handled ${event.id} ${event.status}`);
}

async function readCursor() {
  try {
    return JSON.parse(await readFile(STATE, 'utf8')).cursor;
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

// Renamed, so that the file is never half written.
async function keepCursor(cursor) {
  await writeFile(`${STATE}.new`, JSON.stringify({ cursor }));
  await rename(`${STATE}.new`, STATE);
}

async function ask(position) {
  const query = new URLSearchParams({ ...position, wait: WAIT_SECONDS });
  const response = await fetch(`${HOOKLINE_API_URL}/v1/events?${query}`, {
    headers: { authorization: `Bearer ${HOOKLINE_API_KEY}` },
    signal: stop.signal,
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const kept = await readCursor();
let position = kept === undefined ? { updated_at_gte: SINCE } : { cursor: kept };
let failures = 0;
console.log(`polling from ${Object.keys(position)}`);

while (!stop.signal.aborted) {
  const { status, headers, text, message } = await ask(position).catch((error) => error);
  if (status === 200 || status === 204) {
    failures = 0;
    // 204: nothing new while it waited.
    const events = status === 204 ? [] : JSON.parse(text);
    if (events.length === 0) console.log('up to date');
    for (const event of events) await handle(event);
    const cursor = headers.get('hookline-cursor');
    if (cursor !== null) {
      await keepCursor(cursor);
      position = { cursor };
    }
  } else if (status === 410) {
    // It was away for longer than events are kept: it goes on with the oldest one that there is.
    console.error('cursor expired: some events were removed before they were read');
    position = {};
  } else if (status >= 400 && status < 429) {
    throw new Error(`${status}: ${text}`);
  } else if (!stop.signal.aborted) {
    // 429, 5xx or no answer: later, with full jitter.
    const retryAfterMs = 1_000 * Number(headers?.get('retry-after') ?? 0);
    const backoffMs = Math.random() * Math.min(60_000, 1_000 * 2 ** failures++);
    console.error(`${status ?? message}: asks again`);
    await delay(retryAfterMs + backoffMs, undefined, { signal: stop.signal }).catch(() => undefined);
  }
}

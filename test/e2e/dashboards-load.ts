/** A little of everything that a dashboard shows: webhooks of all fates, endpoints of all kinds, long polls, keyed requests, replays, pages of the console. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { endpointSettlingMs } from '#lib/contract';
import type { Receiver } from '../support/receiver.ts';
import { signAsHookline } from '../support/sign-webhook.ts';
import type { Stack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';

interface Asked {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface DashboardsLoad {
  /** Sends and polls until the signal aborts; resolves when all of it has ended. */
  run(signal: AbortSignal): Promise<void>;
}

const pauseMs = 100;

export async function prepareLoad(
  stack: Stack,
  receiver: Pick<Receiver, 'url' | 'react'>,
  consoleUrl: string,
): Promise<DashboardsLoad> {
  const ask = async (path: string, { method = 'GET', body, headers }: Asked = {}): Promise<Response> =>
    fetch(`${stack.apiUrl}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${stack.adminKey}`, 'content-type': 'application/json', ...headers },
      body: body === undefined ? null : JSON.stringify(body),
    });
  const create = async (path: string, body: object): Promise<Record<string, string>> => {
    const response = await ask(path, { method: 'POST', body });
    if (response.status !== 201) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, string>;
  };

  const source = await create('/sources', { name: 'shop', scheme: 'hookline' });
  const retry = { base_seconds: 1, cap_seconds: 2, max_attempts: 3 };
  for (const name of ['well', 'ill', 'gone']) await create('/endpoints', { url: receiver.url(name), retry });
  await create('/endpoints', { url: 'http://127.0.0.1:1/nobody', retry });
  receiver.react(({ name }) => ({ status: { ill: 500, gone: 410 }[name] ?? 200 }));
  await delay(endpointSettlingMs);

  const sendWebhook = async (webhook: object, secret: string): Promise<void> => {
    const body = Buffer.from(JSON.stringify(webhook));
    const headers = signAsHookline(secret, body, Math.floor(Date.now() / 1000));
    await fetch(source['ingest_url'] ?? '', { method: 'POST', body, headers });
  };

  const aRound = async (number: number): Promise<void> => {
    const id = `order-${number}`;
    const secret = source['secret'] ?? '';
    await sendWebhook({ id, type: 'order.paid' }, secret);
    await sendWebhook({ id, type: 'order.paid' }, secret);
    if (number % 5 === 0) await sendWebhook({ id, type: 'order.changed' }, secret);
    if (number % 3 === 0) await sendWebhook({ id: `forged-${number}`, type: 'order.paid' }, 'whsec_wrong');
    const event = { method: 'POST', body: { type: 'order.published', payload: { number } } };
    const keyed = { ...event, headers: { 'idempotency-key': randomUUID() } };
    await ask('/events', keyed);
    await ask('/events', keyed);
    await ask('/endpoints?limit=2');
  };

  const poll = async (signal: AbortSignal): Promise<void> => {
    let cursor = '';
    while (!signal.aborted) {
      const response = await ask(`/events?wait=1${cursor}`);
      const next = response.headers.get('hookline-cursor');
      if (next !== null) cursor = `&cursor=${encodeURIComponent(next)}`;
      await response.arrayBuffer();
    }
  };

  const replayDeadLetters = async (signal: AbortSignal): Promise<void> => {
    await waitUntil(
      'there is a dead letter',
      async () => ((await (await ask('/dead-letters')).json()) as unknown[]).length > 0,
    );
    while (!signal.aborted) {
      await ask('/dead-letters/replay', { method: 'POST', body: { all: true, limit: 5 } });
      await delay(1_000);
    }
  };

  /** Signs in to the console by a code, and looks at a page. */
  const lookAtConsole = async (): Promise<void> => {
    const { code = '' } = await create('/sessions', { code: true });
    const signedIn = await fetch(`${consoleUrl}/session/code`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ code }),
    });
    const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    await fetch(`${consoleUrl}/t/default/endpoints`, { headers: { cookie } });
  };
  const browse = async (signal: AbortSignal): Promise<void> => {
    // As often as an address may sign in, and no more often.
    while (!signal.aborted) {
      await lookAtConsole();
      await delay(6_500, undefined, { signal }).catch(() => undefined);
    }
  };

  return {
    async run(signal) {
      const send = async (): Promise<void> => {
        for (let number = 0; !signal.aborted; number += 1) {
          await aRound(number);
          await delay(pauseMs);
        }
      };
      await Promise.all([send(), poll(signal), poll(signal), replayDeadLetters(signal), browse(signal)]);
    },
  };
}

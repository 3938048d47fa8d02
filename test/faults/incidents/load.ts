/** Senders and API clients with a constant rate, behind a load balancer like those of services. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '../../support/api-client.ts';
import { httpPost } from '../../support/http-post.ts';
import type { Pipeline, ProcessName } from '../../support/pipeline.ts';
import { createSender, numbersFrom } from '../../support/sender.ts';
import { signAsHookline } from '../../support/sign-webhook.ts';
import type { Send } from '../checker/history.ts';
import { processesOf } from '../system/faults/processes.ts';

export interface SteadyLoad {
  /** The sources of the shop, which sends most of all, of its branch, and of its partner. */
  sourceIds: Record<Sender, string>;
  readonly sends: readonly Send[];
  readonly calls: readonly ApiCall[];
  /** Times the rate. */
  setFactor(factor: number): void;
  /** The partner signs with a secret that is not its own. */
  forge(isForged: boolean): void;
  /** Sends nothing to the process from just before the work until it is done. */
  without(name: ProcessName, work: () => Promise<void>): Promise<void>;
  /** That of a process which takes requests now. */
  ingressUrl(): string;
  /** Resolves when all that was begun was taken, or refused for good. */
  stop(): Promise<void>;
}

/** A request to the api. */
export interface ApiCall {
  startedAtMs: number;
  endedAtMs: number;
  /** Null: no answer. */
  status: number | null;
  detail: string;
}

interface Options {
  api: ApiClient;
  pipeline: Pipeline;
  random: () => number;
  /** Webhooks. */
  perSecond: number;
}

type Sender = 'shop' | 'branch' | 'partner';

/** One webhook in so many is the branch's and one the partner's. */
const oneInEvery = 10;

const senderOfNumber = (number: number): Sender => {
  if (number % oneInEvery === 0) return 'partner';
  return number % oneInEvery === oneInEvery / 2 ? 'branch' : 'shop';
};

const tickMs = 50;
const callEveryMs = 500;
const timeoutMs = 10_000;
/** A provider's retries: longer and longer pauses. */
const retry = { baseMs: 500, capMs: 60_000 };
/** The time for a load balancer to notice before a process is told to stop: part of the ten seconds that Kubernetes gives it. */
const noticedAfterMs = 1_000;

export async function startLoad({ api, pipeline, random, perSecond }: Options): Promise<SteadyLoad> {
  const out = new Set<ProcessName>();
  const oneOf = (service: 'ingress' | 'api'): ProcessName => {
    const names = processesOf(service).filter((name) => !out.has(name));
    return names[Math.floor(random() * names.length)] ?? service;
  };
  const newSource = (name: Sender) => api.createSource({ name, scheme: 'hookline' });
  const sources = {
    shop: await newSource('shop'),
    branch: await newSource('branch'),
    partner: await newSource('partner'),
  };
  const sends: Send[] = [];
  const nextNumber = numbersFrom(0);
  const senderOf = ({ id, ingest_url }: { id: string; ingest_url: string }) =>
    createSender({
      ingestUrl: () => `${pipeline.ingressUrl(oneOf('ingress'))}${new URL(ingest_url).pathname}`,
      sourceId: id,
      random,
      log: sends,
      nextNumber,
      timeoutMs,
      maxSockets: 1_024,
    });
  const senders = {
    shop: senderOf(sources.shop),
    branch: senderOf(sources.branch),
    partner: senderOf(sources.partner),
  };
  let factor = 1;
  let isForged = false;
  const secretOf = (who: Sender): string =>
    who === 'partner' && isForged ? 'whsec_of-somebody-else' : sources[who].secret;

  const sendUntilTaken = async (number: number): Promise<void> => {
    const who = senderOfNumber(number);
    const identity = `order-${number}`;
    const body = Buffer.from(JSON.stringify({ id: identity, type: 'order.paid', padding: 'x'.repeat(200) }));
    for (let tries = 0; ; tries += 1) {
      const headers = signAsHookline(secretOf(who), body, Math.floor(Date.now() / 1_000));
      const { outcome } = await senders[who].send({ identity, body, headers });
      if (outcome !== 'info') return;
      await delay(Math.min(retry.capMs, retry.baseMs * 2 ** tries) * (0.5 + random() / 2));
    }
  };

  const stopped = new AbortController();
  const pause = (ms: number): Promise<void> => delay(ms, undefined, { signal: stopped.signal }).catch(() => undefined);
  const sendAll = async (): Promise<void> => {
    const underWay = new Set<Promise<void>>();
    let sent = 0;
    let owed = 0;
    for (let atMs = performance.now(); !stopped.signal.aborted;) {
      await pause(tickMs);
      const nowMs = performance.now();
      owed += ((nowMs - atMs) / 1_000) * perSecond * factor;
      atMs = nowMs;
      for (; owed >= 1; owed -= 1) {
        const sending: Promise<void> = sendUntilTaken(sent++).finally(() => underWay.delete(sending));
        underWay.add(sending);
      }
    }
    await Promise.all(underWay);
  };

  const calls: ApiCall[] = [];
  const { adminKey } = pipeline.stack;
  const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' };
  const call = async (request: (url: string) => Promise<{ status: number }>): Promise<void> => {
    const startedAtMs = Date.now();
    const ended = await request(`${pipeline.apiUrl(oneOf('api'))}/v1/events`).then(
      ({ status }) => ({ status, detail: '' }),
      (error: Error) => ({ status: null, detail: error.message }),
    );
    calls.push({ startedAtMs, endedAtMs: Date.now(), ...ended });
  };
  const callAll = async (): Promise<void> => {
    for (let number = 0; !stopped.signal.aborted; number += 1) {
      const body = Buffer.from(JSON.stringify({ type: 'incident.published', payload: { number } }));
      await call((url) => fetch(`${url}?limit=10`, { headers, signal: AbortSignal.timeout(timeoutMs) }).then(whole));
      await call((url) => httpPost({ url, headers, body, timeoutMs }));
      await pause(callEveryMs);
    }
  };
  const running = Promise.all([sendAll(), callAll()]);
  running.catch(() => undefined);

  return {
    sourceIds: { shop: sources.shop.id, branch: sources.branch.id, partner: sources.partner.id },
    sends,
    calls,
    ingressUrl: () => pipeline.ingressUrl(oneOf('ingress')),
    setFactor: (times) => void (factor = times),
    forge: (does) => void (isForged = does),
    async without(name, work) {
      out.add(name);
      await delay(noticedAfterMs);
      await work();
      out.delete(name);
    },
    async stop() {
      stopped.abort();
      await running;
      Object.values(senders).forEach((sender) => sender.close());
    },
  };
}

async function whole(response: Response): Promise<Response> {
  await response.arrayBuffer();
  return response;
}

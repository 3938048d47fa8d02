/**
 * The tenants that only work: each has a source, an endpoint and a key, sends webhooks, reads, polls, and tries its endpoint now and then.
 * The outcome of each request is written down with the phase in which it began.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createSender, numbersFrom, type Sender } from '../../support/sender.ts';
import { signAsHookline } from '../../support/sign-webhook.ts';
import type { Receiver } from '../../support/receiver.ts';
import type { Send } from '../checker/history.ts';
import { createTenantClient, mustCall, type TenantClient } from './tenant-client.ts';

export interface Call {
  what: 'get' | 'poll' | 'test';
  tenant: string;
  phase: string;
  status: number | null;
  ms: number;
}

/** A webhook that was answered 2xx. */
export interface Webhook {
  tenant: string;
  identity: string;
  receiptId: string;
  phase: string;
  acceptedAtMs: number;
  postMs: number;
}

export interface Neighbours {
  readonly calls: readonly Call[];
  readonly webhooks: readonly Webhook[];
  /** When each came to its endpoint first, by identity, and how often. */
  readonly arrivals: ReadonlyMap<string, { atMs: number; times: number }>;
  /** Requests that begin from now on are recorded under this name; undefined: not at all. */
  enter(phase: string | undefined): void;
  clientOf(tenant: string): TenantClient;
  stop(): Promise<void>;
}

interface Options {
  apiUrl: string;
  adminKey: string;
  receiver: Receiver;
  count: number;
  random: () => number;
  /** The rate of each neighbour. */
  postsPerSecond: number;
}

const getEveryMs = 1_000;
const testEveryMs = 15_000;
const pollSeconds = 10;
/** Above what the api itself takes for a test. */
const timeoutMs = 60_000;

export async function startNeighbours(options: Options): Promise<Neighbours> {
  const { apiUrl, adminKey, receiver, count, random, postsPerSecond } = options;
  const calls: Call[] = [];
  const webhooks: Webhook[] = [];
  const sends: Send[] = [];
  const arrivals = new Map<string, { atMs: number; times: number }>();
  const nextNumber = numbersFrom(0);
  const clients = new Map<string, TenantClient>();
  const senders: Sender[] = [];
  const stopped = new AbortController();
  let phase: string | undefined;
  let identities = 0;

  receiver.react(({ body }) => {
    const { id } = JSON.parse(body.toString()) as { id?: string };
    if (id !== undefined) {
      const before = arrivals.get(id);
      arrivals.set(id, { atMs: before?.atMs ?? Date.now(), times: (before?.times ?? 0) + 1 });
    }
    return { status: 200 };
  });

  const pause = (ms: number): Promise<void> => delay(ms, undefined, { signal: stopped.signal }).catch(() => undefined);
  /** At their times, however long each takes. */
  async function every(ms: number, work: () => Promise<void>): Promise<void> {
    const underWay = new Set<Promise<void>>();
    await pause(random() * ms);
    while (!stopped.signal.aborted) {
      const working: Promise<void> = work().finally(() => underWay.delete(working));
      underWay.add(working);
      await pause(ms * (0.5 + random()));
    }
    await Promise.all(underWay);
  }

  async function work(tenant: string): Promise<void> {
    const operator = createTenantClient(apiUrl, adminKey, tenant);
    const made = await mustCall<{ key: string }>(operator, 'POST', '/api-keys', { name: tenant, scopes: ['admin'] });
    const client = createTenantClient(apiUrl, made.key);
    clients.set(tenant, client);
    const source = await mustCall<{ id: string; secret: string; ingest_url: string }>(client, 'POST', '/sources', {
      name: tenant,
      scheme: 'hookline',
    });
    const endpoint = await mustCall<{ id: string }>(client, 'POST', '/endpoints', { url: receiver.url(tenant) });
    operator.close();
    const sender = createSender({
      ingestUrl: source.ingest_url,
      sourceId: source.id,
      random,
      log: sends,
      nextNumber,
      timeoutMs,
    });
    senders.push(sender);

    const note = async (what: Call['what'], method: string, path: string): Promise<void> => {
      const began = phase;
      const { status, ms } = await client.call(method, path, undefined, timeoutMs);
      if (began !== undefined) calls.push({ what, tenant, phase: began, status, ms });
    };
    const post = async (): Promise<void> => {
      const began = phase;
      if (began === undefined) return;
      const identity = `${tenant}/${(identities += 1)}`;
      const body = Buffer.from(JSON.stringify({ id: identity, type: 'order.paid', padding: 'x'.repeat(300) }));
      const headers = signAsHookline(source.secret, body, Math.floor(Date.now() / 1_000));
      const { receiptId, startedAtMs, endedAtMs } = await sender.sendUntilAnswered(
        { identity, body, headers },
        timeoutMs,
      );
      if (receiptId === null) throw new Error(`${identity} was refused`);
      const postMs = endedAtMs - startedAtMs;
      webhooks.push({ tenant, identity, receiptId, phase: began, acceptedAtMs: endedAtMs, postMs });
    };
    const since = encodeURIComponent(new Date().toISOString());
    running.push(
      every(1_000 / postsPerSecond, post),
      every(getEveryMs, () => note('get', 'GET', '/events?limit=10')),
      every(testEveryMs, () => note('test', 'POST', `/endpoints/${endpoint.id}/test`)),
      (async () => {
        while (!stopped.signal.aborted) {
          await note('poll', 'GET', `/events?updated_at_gte=${since}&status=dead_lettered&wait=${pollSeconds}`);
          await pause(500);
        }
      })(),
    );
  }

  const running: Promise<void>[] = [];
  await Promise.all(Array.from({ length: count }, (_, at) => work(`neighbour-${at}`)));
  for (const each of running) each.catch(() => undefined);

  return {
    calls,
    webhooks,
    arrivals,
    enter: (next) => void (phase = next),
    clientOf(tenant) {
      const client = clients.get(tenant);
      if (client === undefined) throw new Error(`there is no ${tenant}`);
      return client;
    },
    async stop() {
      stopped.abort();
      await Promise.all(running).finally(() => {
        for (const sender of senders) sender.close();
      });
    },
  };
}

/**
 * Two tenants of the run's own, apart from those that it adds up: of one something is locked, and the other's webhooks are watched meanwhile.
 * Neither has endpoints. What can't be had because of other faults is left out, for those are judged by the rest of the run.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pipeline } from '../../support/pipeline.ts';
import { signAsHookline } from '../../support/sign-webhook.ts';
import type { Inflicted } from './schedule.ts';

/** A webhook of the tenant whose rows were free, while those of another were locked. */
export interface BystandersWebhook {
  /** The fault that it was sent beside. */
  kind: string;
  atMs: number;
  /** From its acceptance until its event was readable. Infinity: not in time. */
  readableMs: number;
}

export interface Bystanders {
  /** The tenant whose rows are to be locked. */
  readonly lockedTenant: string;
  /** Both are there, and each has an event. False where other faults prevent it. */
  prepare(): Promise<boolean>;
  /** Sends webhooks of both, for so long, and watches those of the one whose rows are free. */
  watch(kind: string, forMs: number): Promise<void>;
  /** Erases an event of the locked tenant, at the process `api`: that takes its clock. Whatever becomes of it. */
  erase(): Promise<void>;
}

interface Bystander {
  tenant: string;
  /** Empty: it has no source yet. */
  ingestUrl: string;
  secret: string;
  /** One of its events; empty: it has none yet. */
  eventId: string;
}

const timeoutMs = 5_000;
const readableTimeoutMs = 30_000;
const sendEveryMs = 500;
const preparingTimeoutMs = 30_000;

export function createBystanders(pipeline: Pipeline, webhooks: BystandersWebhook[]): Bystanders {
  const { adminKey } = pipeline.stack;
  const locked: Bystander = { tenant: 'locked', ingestUrl: '', secret: '', eventId: '' };
  const free: Bystander = { ...locked, tenant: 'free' };

  async function ask<T>(process: 'api' | 'api-2', tenant: string, method: string, path: string, body?: unknown) {
    const response = await fetch(`${pipeline.apiUrl(process)}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${adminKey}`,
        'hookline-tenant': tenant,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    return response.ok && text !== '' ? (JSON.parse(text) as T) : undefined;
  }

  /** @returns the receipt; undefined where it was not accepted */
  async function send({ ingestUrl, secret }: Bystander): Promise<string | undefined> {
    const body = Buffer.from(JSON.stringify({ id: randomUUID(), type: 'bystander' }));
    const signature = signAsHookline(secret, body, Math.floor(Date.now() / 1_000));
    const response = await fetch(ingestUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signature },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    return response.ok ? ((await response.json()) as { id: string }).id : undefined;
  }

  /** @returns its id; undefined where it can't be read in time */
  async function eventOf(tenant: string, receiptId: string): Promise<string | undefined> {
    for (const untilMs = Date.now() + readableTimeoutMs; Date.now() < untilMs;) {
      const path = `/events?receipt_id=${receiptId}`;
      const found = await ask<{ id: string }[]>('api-2', tenant, 'GET', path).catch(() => undefined);
      if (found?.[0] !== undefined) return found[0].id;
      await delay(50);
    }
    return undefined;
  }

  async function prepareOne(one: Bystander): Promise<void> {
    const source = { name: 'bystander', scheme: 'hookline' };
    if (one.ingestUrl === '') {
      const made = await ask<{ ingest_url: string; secret: string }>('api-2', one.tenant, 'POST', '/sources', source);
      if (made === undefined) return;
      Object.assign(one, { ingestUrl: made.ingest_url, secret: made.secret });
    }
    const receiptId = await send(one);
    if (receiptId !== undefined) one.eventId = (await eventOf(one.tenant, receiptId)) ?? '';
  }

  return {
    lockedTenant: locked.tenant,
    async prepare() {
      for (const one of [locked, free]) {
        one.eventId = '';
        for (const untilMs = Date.now() + preparingTimeoutMs; one.eventId === '' && Date.now() < untilMs;) {
          await prepareOne(one).catch(() => undefined);
          if (one.eventId === '') await delay(500);
        }
      }
      return locked.eventId !== '' && free.eventId !== '';
    },
    async watch(kind, forMs) {
      const watched: Promise<void>[] = [];
      for (const untilMs = Date.now() + forMs; Date.now() < untilMs;) {
        await send(locked).catch(() => undefined);
        watched.push(watchOne(kind).catch(() => undefined));
        await delay(sendEveryMs);
      }
      await Promise.all(watched);
    },
    async erase() {
      await ask('api', locked.tenant, 'DELETE', `/events/${locked.eventId}`).catch(() => undefined);
    },
  };

  async function watchOne(kind: string): Promise<void> {
    const receiptId = await send(free);
    if (receiptId === undefined) return;
    const atMs = Date.now();
    const eventId = await eventOf(free.tenant, receiptId);
    webhooks.push({ kind, atMs, readableMs: eventId === undefined ? Number.POSITIVE_INFINITY : Date.now() - atMs });
  }
}

/** Locks are held for at least six seconds: whoever waits for them is much later. */
const mostReadableMs = 3_000;
/** Work that another fault has begun ends within. */
const settlingMs = 15_000;

/**
 * @param inflicted all faults: a webhook beside another than its own says nothing
 * @returns those that were readable too late, as text
 */
export function judgeBystanders(webhooks: readonly BystandersWebhook[], inflicted: readonly Inflicted[]): string[] {
  const isAlone = ({ kind, atMs, readableMs }: BystandersWebhook): boolean =>
    inflicted.every(
      (fault) => fault.kind === kind || fault.atMs > atMs + readableMs || fault.overAtMs + settlingMs < atMs,
    );
  return webhooks
    .filter((webhook) => webhook.readableMs > mostReadableMs && isAlone(webhook))
    .map(
      ({ kind, atMs, readableMs }) =>
        `beside ${kind} an event of another tenant was readable after ${readableMs} ms, accepted at ${new Date(atMs).toISOString()}`,
    );
}

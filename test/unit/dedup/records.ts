import { receivedWebhookHeaders } from '#lib/contract';
import type { IncomingRecord } from '#lib/kafka';
import { eventIdOf } from '#lib/dedup-store';
import { startMicros } from '../dedup-store/candidates.ts';

export interface TestRecord extends IncomingRecord {
  isDone(): boolean;
}

interface Given {
  id: string;
  offset: number;
  topic?: string;
  partition?: number;
  body?: string;
  tenant?: string;
  receivedAt?: number;
  ttlSeconds?: number;
  orderingKey?: string;
  origin?: string;
  /** The sender's address; default: the record has no request. */
  address?: string;
  /** Aborts when its partition is lost. */
  signal?: AbortSignal;
  /** The end of its event's id: all that Redis tells two records by. */
  idEnd?: string;
}

export function recordOf(given: Given): TestRecord {
  const { id, offset, partition = 0, tenant = 'default', orderingKey = null, origin = null } = given;
  const headers = receivedWebhookHeaders({
    tenant,
    sourceId: 'src_1',
    receiptId: given.idEnd === undefined ? `rcp_${partition}_${offset}` : receiptEndingIn(given.idEnd, given),
    receivedAt: given.receivedAt ?? startMicros,
    contentType: 'application/json',
    contentEncoding: null,
    httpHeaders: { 'user-agent': 'test' },
    identifyBy: [{ pointer: '/id' }],
    typeBy: [{ pointer: '/type' }],
    dedupTtlSeconds: given.ttlSeconds ?? 3600,
    orderingKey,
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    origin,
    request:
      given.address === undefined ? null : { secret: [], method: 'POST', path: '/', address: given.address, names: '' },
  });
  return rawRecordOf({
    ...(given.topic === undefined ? {} : { topic: given.topic }),
    partition,
    offset,
    headers,
    ...(given.signal === undefined ? {} : { signal: given.signal }),
    body: given.body ?? JSON.stringify({ id, type: 'test.happened' }),
  });
}

const searched = new Map<string, string>();

/** A receipt id that makes the event's id end so: one of a thousand does. */
function receiptEndingIn(
  idEnd: string,
  { topic = 'test.webhooks.received', partition = 0, offset, ...given }: Given,
): string {
  const { tenant = 'default', receivedAt = startMicros, origin = `${topic}-${partition}-${offset}` } = given;
  const name = `${idEnd} ${tenant} ${receivedAt} ${origin}`;
  const known = searched.get(name);
  if (known !== undefined) return known;
  for (let attempt = 0; ; attempt += 1) {
    const receiptId = `rcp_${partition}_${offset}_${attempt}`;
    if (!eventIdOf({ tenant, sourceId: 'src_1', origin, receiptId, receivedAt }).endsWith(idEnd)) continue;
    searched.set(name, receiptId);
    return receiptId;
  }
}

const never = new AbortController().signal;

export function rawRecordOf(given: {
  topic?: string;
  partition: number;
  offset: number;
  headers: Record<string, string>;
  body: string;
  signal?: AbortSignal;
}): TestRecord {
  let done = false;
  return {
    topic: given.topic ?? 'test.webhooks.received',
    partition: given.partition,
    offset: BigInt(given.offset),
    signal: given.signal ?? never,
    key: Buffer.from('original key'),
    value: Buffer.from(given.body),
    headers: given.headers,
    rawHeaders: Object.fromEntries(Object.entries(given.headers).map(([name, value]) => [name, Buffer.from(value)])),
    done: () => (done = true),
    isDone: () => done,
  };
}

/**
 * Has a fetch wait longer at its broker where the one before found nothing: a consumer at rest asks four times a second, whatever it asks for
 * while it has work. What comes meanwhile is answered with its first byte, so nothing is later by it; only a partition that was paused and goes
 * on is read again a quarter of a second later at the most.
 *
 * It reaches into kafkajs 2.2.4, which is why that version is pinned exactly.
 */
import Broker, { type FetchRequest } from 'kafkajs/src/broker/index.js';
import type { FetchResponse } from 'kafkajs/src/protocol/requests/fetch/v11/response.js';

const idleWaitMs = 250;
let paced = false;

export function paceIdleFetches(): void {
  if (paced) return;
  paced = true;
  const broker = Broker.prototype;
  const fetch = broker.fetch;
  const atRest = new WeakSet<object>();
  broker.fetch = async function (request) {
    const response = await fetch.call(this, atRest.has(this) ? resting(request) : request);
    if (isEmpty(response)) atRest.add(this);
    else atRest.delete(this);
    return response;
  };
}

const resting = (request: FetchRequest): FetchRequest => ({
  ...request,
  minBytes: 1,
  maxWaitTime: Math.max(request.maxWaitTime, idleWaitMs),
});

const isEmpty = ({ responses }: FetchResponse): boolean =>
  responses.every(({ partitions }) => partitions.every(({ messages }) => messages.length === 0));

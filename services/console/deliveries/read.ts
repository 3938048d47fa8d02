import type { Page } from '#client';
import type { Attempt, Delivery, Endpoint, EndpointHealth } from '#lib/api-contract';
import { isFinal } from '#lib/contract';
import { type FieldError, type ReadApi, valueOf } from '../api-calls/console-api.ts';
import { askHealth } from '../api-calls/stats.ts';
import type { TenantContext } from '../page.ts';

/** Whether it may still be sent. */
export const isOpen = ({ status }: Pick<Delivery, 'status'>): boolean => !isFinal(status);

export interface ShownDelivery extends Pick<Page<Attempt>, 'next'> {
  delivery: Delivery;
  /** Undefined: deleted. */
  endpoint: Endpoint | undefined;
  /** Only of a delivery that waits, if it can be told. */
  health: EndpointHealth | undefined;
  /** The attempts of this page. */
  attempts: readonly Attempt[];
  isFirstPage: boolean;
  /** Undefined: there is none, or it is kept no longer. */
  lastAttempt: Attempt | undefined;
  deadLetterId: string | undefined;
}

/** All that the page of a delivery shows. @throws ApiError */
export async function readDelivery(
  { api, isCustomer }: Pick<TenantContext, 'api' | 'isCustomer'>,
  id: string,
  position: URLSearchParams,
): Promise<({ ok: true } & ShownDelivery) | { ok: false; errors: readonly FieldError[] }> {
  const [delivery, listed] = await Promise.all([
    api.call('GET /v1/deliveries/:id', { params: { id } }),
    api.list('GET /v1/deliveries/:id/attempts', { params: { id }, query: position }),
  ]);
  if (!listed.ok) return listed;
  const [endpoint, health, lastAttempt, deadLetterId] = await Promise.all([
    findEndpoint(api, delivery.endpoint_id),
    askHealth(api, isOpen(delivery) ? [delivery.endpoint_id] : []),
    listed.next === undefined && listed.items.length > 0
      ? listed.items.at(-1)
      : delivery.attempts === 0
        ? undefined
        : readAttempt(api, id, delivery.attempts),
    delivery.status === 'dead_lettered' && !isCustomer ? findDeadLetter(api, delivery) : undefined,
  ]);
  return {
    ok: true,
    delivery,
    endpoint,
    health: health.get(delivery.endpoint_id),
    lastAttempt,
    deadLetterId,
    attempts: listed.items,
    next: listed.next,
    isFirstPage: !position.has('cursor'),
  };
}

async function findEndpoint(api: ReadApi, id: string): Promise<Endpoint | undefined> {
  const asked = await api.ask('GET /v1/endpoints/:id', { params: { id } });
  if (!asked.ok && asked.failure.kind === 'problem' && [404, 410].includes(asked.failure.status)) return undefined;
  return valueOf(asked);
}

/** It is written a moment before the delivery's row. */
const aroundMs = 5_000;
const mostDeadLetters = 1_000;

/** Finds its dead letter, unless too many died in these seconds: the page then links to the list. */
async function findDeadLetter(api: ReadApi, delivery: Delivery): Promise<string | undefined> {
  const diedMs = Date.parse(delivery.updated_at);
  const around = {
    endpoint_id: delivery.endpoint_id,
    since: new Date(diedMs - aroundMs).toISOString(),
    until: new Date(diedMs + aroundMs).toISOString(),
    limit: mostDeadLetters,
  };
  const asked = await api.ask('GET /v1/dead-letters', { query: around });
  return asked.ok ? asked.value.find(({ delivery_id: id }) => id === delivery.id)?.id : undefined;
}

const pageSize = 100;

/**
 * An attempt by its number. The API lists attempts behind a step. Steps count from 1, parkings too, so the step of attempt n is n at least:
 * the list is read from there on.
 *
 * @returns undefined: there is no such attempt, or it is kept no longer. @throws ApiError
 */
export async function readAttempt(api: ReadApi, deliveryId: string, number: number): Promise<Attempt | undefined> {
  let parameters = new URLSearchParams({
    limit: String(pageSize),
    ...(number > 1 && { cursor: String(number - 1) }),
  });
  for (;;) {
    const listed = await api.list('GET /v1/deliveries/:id/attempts', { params: { id: deliveryId }, query: parameters });
    if (!listed.ok) return undefined;
    const found = listed.items.find(({ attempt }) => attempt === number);
    if (found !== undefined) return found;
    if (listed.next === undefined || (listed.items.at(-1)?.attempt ?? 0) > number) return undefined;
    parameters = listed.next;
  }
}

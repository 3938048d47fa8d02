/**
 * Fills a tenant with what a shop's day brings: webhooks of three providers, one that comes twice, some that are not signed right, orders
 * on which the warehouse fails until they are dead letters; then the warehouse is fixed, and one of them is replayed.
 */
import { randomUUID } from 'node:crypto';
import { schemeSettings, signatureSchemes } from '#lib/signatures';
import { StackError } from '../failure.ts';
import { until } from '../processes/until.ts';
import { type ApiClient, createApiClient } from '../smoke/api-client.ts';
import { type HttpAnswer, isSuccess, request } from '../smoke/http-request.ts';
import { startDemoReceiver, warehouseError } from './demo-receiver.ts';
import { demoSchemes, type DemoSource, provideDemoTenant } from './demo-tenant.ts';
import { type DemoWebhook, demoWebhooks } from './demo-webhooks.ts';

interface DemoOptions {
  apiUrl: string;
  adminKey: string;
  tenant: string;
  /** The receiver's port, the dispatcher's name for this machine, and the addresses that it leads to. */
  receiver: { port: number; host: string; listenOn: readonly string[] };
  say: (line: string) => void;
}

export interface FilledDemo {
  /** The event that failed, was replayed and arrived. */
  eventId: string;
  events: number;
  deadLettered: number;
}

interface Event {
  id: string;
  receipt_id: string;
  status: string;
  duplicates: number;
}

interface Delivery {
  id: string;
  endpoint_id: string;
  generation: number;
  status: string;
  attempts: number;
}

/** For one condition. */
const timeoutMs = 60_000;

/** @throws StackError if not all of it is there in the end */
export async function fillDemo({ apiUrl, adminKey, tenant, receiver: where, say }: DemoOptions): Promise<FilledDemo> {
  const receiver = await startDemoReceiver(where);
  try {
    const api = createApiClient({ url: apiUrl, adminKey, tenant });
    say(`sources and endpoints of the tenant ${tenant} (new endpoints get what is accepted some seconds later)`);
    const { sources, warehouseId } = await provideDemoTenant(api, adminKey, receiver);

    const webhooks = demoWebhooks(randomUUID());
    const [featured, ...others] = webhooks;
    if (featured === undefined) throw new Error('no webhooks');
    const sinceMs = Date.now();
    const accept = (webhook: DemoWebhook) => receiptOf(webhook, sources[webhook.source]);
    // They may be on different partitions: either of the two becomes the event, and the other its duplicate.
    const ofFeatured = [await accept(featured), await accept(featured)];
    const receipts = new Set(ofFeatured);
    for (const webhook of others) receipts.add(await accept(webhook));
    const forged = webhooks.slice(1, 3);
    for (const webhook of forged)
      await refuse(webhook, { ...sources[webhook.source], secret: `whsec_${randomUUID()}` });
    say(
      `${webhooks.length + 1} webhooks accepted, 1 of them a duplicate; ${forged.length} with a bad signature refused`,
    );

    const guests = webhooks.filter(({ isOfGuest }) => isOfGuest).length;
    const events = await settled(api, receipts, { count: webhooks.length, sinceMs });
    const deadLettered = events.filter(({ status }) => status === 'dead_lettered').length;
    if (deadLettered !== guests)
      throw new StackError(`${deadLettered} of the events ended as dead letters, not ${guests}: the orders of guests`);
    say(
      `${events.length} events: ${events.length - deadLettered} delivered, ${deadLettered} dead letters of the warehouse`,
    );

    receiver.fix();
    const event = events.find(({ receipt_id: receipt }) => ofFeatured.includes(receipt));
    if (event === undefined || event.duplicates === 0) throw new StackError('the duplicate did not become one');
    await replay(api, event.id, warehouseId);
    say(`the warehouse is fixed: 1 dead letter was replayed and delivered`);
    return { eventId: event.id, events: events.length, deadLettered };
  } finally {
    await receiver.stop();
  }
}

async function receiptOf(webhook: DemoWebhook, source: DemoSource): Promise<string> {
  const answer = await send(webhook, source);
  if (!isSuccess(answer)) throw new StackError(`${webhook.source} got ${answer.status}: ${answer.body}`);
  return (JSON.parse(answer.body) as { id: string }).id;
}

async function refuse(webhook: DemoWebhook, forged: DemoSource): Promise<void> {
  const { status } = await send(webhook, forged);
  if (status !== 401) throw new StackError(`a forged webhook of ${webhook.source} got ${status}, not 401`);
}

/** As its provider does: again where the ingress has no room for it. */
function send(
  { source, id, headers, body }: DemoWebhook,
  { ingest_url: url, secret }: DemoSource,
): Promise<HttpAnswer> {
  const scheme = demoSchemes[source];
  return until(
    `the ingress to answer a webhook of ${source}`,
    async () => {
      const signature = signatureSchemes[scheme].sign({
        secret,
        id,
        body: Buffer.from(body),
        settings: schemeSettings(scheme, {}),
        timestampSeconds: Math.floor(Date.now() / 1000),
      });
      const answer = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers, ...signature },
        body,
        timeoutMs: 10_000,
      });
      if (answer.status === 429 || answer.status >= 500) throw new Error(`it answered ${answer.status}`);
      return answer;
    },
    { timeoutMs },
  );
}

/** The events of these receipts, when nothing of them is open any more, and the duplicate is counted. */
function settled(
  api: ApiClient,
  receipts: ReadonlySet<string>,
  { count, sinceMs }: { count: number; sinceMs: number },
): Promise<Event[]> {
  // A minute is for clocks that read apart.
  const since = new Date(sinceMs - 60_000).toISOString();
  return until(
    `the deliveries of ${count} events to end`,
    async () => {
      const listed = await api.get<Event[]>(`/v1/events?order=desc&limit=1000&received_since=${since}`);
      const events = listed.filter(({ receipt_id: receipt }) => receipts.has(receipt));
      const open = events.filter(({ status }) => status !== 'completed' && status !== 'dead_lettered').length;
      const isComplete = events.length === count && events.some(({ duplicates }) => duplicates > 0);
      if (!isComplete || open > 0) throw new Error(`${events.length} are there, ${open} of them open`);
      return events;
    },
    { timeoutMs, everyMs: 250 },
  );
}

/** Replays the dead letter of a delivery that the warehouse failed, and sees that it arrives. */
async function replay(api: ApiClient, eventId: string, warehouseId: string): Promise<void> {
  const deliveries = async (): Promise<Delivery[]> => {
    const all = await api.get<Delivery[]>(`/v1/events/${eventId}/deliveries`);
    return all.filter(({ endpoint_id: endpoint }) => endpoint === warehouseId);
  };
  const [failed] = await deliveries();
  if (failed?.status !== 'dead_lettered') throw new StackError('the warehouse did not fail');
  const attempts = await api.get<{ response_excerpt: string | null }[]>(`/v1/deliveries/${failed.id}/attempts`);
  if (attempts.at(-1)?.response_excerpt !== warehouseError)
    throw new StackError('the reason of the failure is not kept');
  // Its dead letter may come a moment after it: until then this is a conflict.
  await until('the replay of the dead letter', () => api.post(`/v1/deliveries/${failed.id}/retry`, {}), { timeoutMs });
  await until(
    'the replay to be delivered',
    async () =>
      (await deliveries()).find(({ generation, status }) => generation > failed.generation && status === 'delivered'),
    { timeoutMs },
  );
}

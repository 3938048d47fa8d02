import { createHmac } from 'node:crypto';
import { endpointSettlingMs } from '#lib/contract';
import { until } from '../processes/until.ts';
import type { ApiClient } from '../smoke/api-client.ts';
import { type DemoReceiver, warehousePath } from './demo-receiver.ts';

export const demoSchemes = { GitHub: 'github', Stripe: 'stripe', Shopify: 'shopify' } as const;
export type SourceName = keyof typeof demoSchemes;

export interface DemoSource {
  id: string;
  secret: string;
  ingest_url: string;
}

interface Endpoint {
  id: string;
  url: string;
  description: string;
  disabled_at: string | null;
}

interface DemoTenant {
  sources: Readonly<Record<SourceName, DemoSource>>;
  warehouseId: string;
}

/** The tenant's services. Each names its sources: their receiver runs during `make demo` alone, so other events would find nobody. */
const services: readonly { description: string; path: string; sources: SourceName[]; event_types?: string[] }[] = [
  {
    description: 'Billing service',
    path: '/billing',
    sources: ['Stripe', 'Shopify'],
    event_types: ['invoice.*', 'charge.*', 'orders/paid'],
  },
  { description: 'Warehouse', path: warehousePath, sources: ['Shopify'] },
  { description: 'Analytics', path: '/analytics', sources: ['GitHub', 'Stripe', 'Shopify'] },
  { description: 'CI bot', path: '/ci', sources: ['GitHub'] },
];

/** Short, so that a dead letter takes three seconds. */
const retry = { schedule: [1, 2], jitter: 0 };

/** Sources and endpoints, found by their names or created. Resolves when the endpoints get what is accepted from now on. */
export async function provideDemoTenant(api: ApiClient, adminKey: string, receiver: DemoReceiver): Promise<DemoTenant> {
  const known = await api.get<(Omit<DemoSource, 'secret'> & { name: string })[]>('/v1/sources?limit=1000');
  const provideSource = async (name: SourceName): Promise<DemoSource> => {
    const secret = secretOf(name, adminKey);
    const body = { name, scheme: demoSchemes[name], secret };
    const { id, ingest_url } =
      known.find((one) => one.name === name) ?? (await api.post<Omit<DemoSource, 'secret'>>('/v1/sources', body));
    return { id, ingest_url, secret };
  };
  const sources = {
    GitHub: await provideSource('GitHub'),
    Stripe: await provideSource('Stripe'),
    Shopify: await provideSource('Shopify'),
  };

  const endpoints = await api.get<Endpoint[]>('/v1/endpoints?limit=1000');
  let settledAtMs = 0;
  const settles = <T>(changed: T): T => {
    // A second is for clocks that read a little apart.
    settledAtMs = Date.now() + endpointSettlingMs + 1_000;
    return changed;
  };
  const provideEndpoint = async ({ path, sources: names, ...more }: (typeof services)[number]): Promise<Endpoint> => {
    const settings = { ...more, url: receiver.url(path), source_ids: names.map((name) => sources[name].id), retry };
    const found = endpoints.find((one) => one.description === more.description && one.disabled_at === null);
    if (found === undefined) return settles(await api.post('/v1/endpoints', settings));
    // The stack has been moved to other ports.
    return found.url === settings.url ? found : settles(await api.patch(`/v1/endpoints/${found.id}`, settings));
  };
  const provided: Endpoint[] = [];
  for (const service of services) provided.push(await provideEndpoint(service));
  await until('the endpoints to be settled', () => Date.now() >= settledAtMs || undefined, { timeoutMs: 30_000 });
  const warehouse = provided.find(({ description }) => description === 'Warehouse');
  return { sources, warehouseId: warehouse?.id ?? '' };
}

/** The same at every call, so that nothing has to be kept: the API tells a secret once. */
const secretOf = (name: SourceName, adminKey: string): string =>
  `whsec_${createHmac('sha256', adminKey).update(`make demo: ${name}`).digest('base64')}`;

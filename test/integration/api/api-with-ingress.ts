import { topicDefinitions } from '#lib/contract';
import { createTopics } from '#lib/kafka';
import { silentLogger, systemClock } from '#lib/runtime';
import type { AppDeps } from '../../../services/api/app.ts';
import { connectKafkaOffsets } from '../../support/kafka-offsets.ts';
import { serverAddresses, uniquePrefix } from '../../support/servers.ts';
import { signAsHookline } from '../../support/sign-webhook.ts';
import { type Ingress, startIngress } from '../ingress/ingress-process.ts';
import { openApi } from './api-over-database.ts';

export interface SignedSource {
  id: string;
  secret: string;
}

/** The API, and as many ingresses over the same database as are started. */
export async function openApiWithIngress(given: Partial<AppDeps> = {}) {
  const { kafkaBrokers } = serverAddresses();
  const topicPrefix = uniquePrefix('api');
  const topics = topicDefinitions({ topicPrefix, partitions: 1, replicationFactor: 1 });
  const received = topics.filter(({ name }) => name === `${topicPrefix}webhooks.received`);
  await createTopics({ brokers: kafkaBrokers }, received, { clock: systemClock, log: silentLogger });
  const api = await openApi({ clock: systemClock, ...given });
  const ingresses: Ingress[] = [];
  return {
    api,
    async startIngress(encryptionKeys?: string): Promise<Ingress> {
      const { databaseUrl } = api;
      const ingress = await startIngress({
        brokers: kafkaBrokers,
        topicPrefix,
        databaseUrl,
        ...(encryptionKeys !== undefined && { encryptionKeys }),
      });
      ingresses.push(ingress);
      return ingress;
    },
    async createSource(): Promise<SignedSource> {
      const body = { name: 's', scheme: 'hookline' };
      return (await api.ask({ method: 'POST', path: '/v1/sources', body })).json<SignedSource>();
    },
    async close() {
      await Promise.all(ingresses.map((ingress) => ingress.stop()));
      await api.close();
      const offsets = await connectKafkaOffsets(kafkaBrokers);
      await offsets.deleteTopics(received.map(({ name }) => name));
      await offsets.close();
    },
  };
}

export type ApiWithIngress = Awaited<ReturnType<typeof openApiWithIngress>>;

/** How the ingress answers a webhook that is signed by the secret. */
export async function sendSigned(ingress: Ingress, { id, secret }: SignedSource): Promise<number> {
  const body = Buffer.from('{"id":"1"}');
  return (await ingress.post(id, body, signAsHookline(secret, body, Math.floor(Date.now() / 1000)))).status;
}

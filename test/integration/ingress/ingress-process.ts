import { setTimeout as delay } from 'node:timers/promises';
import { readConfig } from '#lib/config';
import { secretsContext, type SourceScheme, type SourceSettings } from '#lib/contract';
import type { Query } from '#lib/postgres';
import { createId, noCrashPoints, type Part, silentLogger, systemClock } from '#lib/runtime';
import { createSecretBox, parseEncryptionKeys } from '#lib/secret-box';
import { generateSecret } from '#lib/signatures';
import { Metrics, noTracer } from '#lib/telemetry';
import { fields } from '../../../services/ingress/config.ts';
import { build } from '../../../services/ingress/service.ts';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { type HttpAnswer, httpPost } from '../../support/http-post.ts';

export const encryptionKey = `test:${Buffer.alloc(32, 7).toString('base64')}`;
const secretBox = createSecretBox(parseEncryptionKeys([encryptionKey]));

export interface TestSource {
  id: string;
  secret: string;
}

export interface Ingress {
  url: string;
  /** Sends again what is refused because the event loop lags: jest loads modules in this process. */
  post(sourceId: string, body: Buffer, headers: Readonly<Record<string, string>>): Promise<HttpAnswer>;
  /** How many requests of the source (`unknown`: of none) had the outcome. */
  count(source: string, outcome: string): Promise<number>;
  stop(): Promise<void>;
}

interface Options {
  brokers: readonly string[];
  topicPrefix: string;
  databaseUrl: string;
  encryptionKeys?: string;
  /** More variables of the environment. */
  env?: Readonly<Record<string, string>>;
}

/** The whole ingress as its process builds it, in this process. */
export async function startIngress({
  brokers,
  topicPrefix,
  databaseUrl,
  encryptionKeys = encryptionKey,
  env = {},
}: Options): Promise<Ingress> {
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const config = readConfig(fields, {
    HOOKLINE_HOST: '127.0.0.1',
    HOOKLINE_INGRESS_PORT: String(port),
    HOOKLINE_KAFKA_BROKERS: brokers.join(','),
    HOOKLINE_TOPIC_PREFIX: topicPrefix,
    HOOKLINE_DATABASE_URL: databaseUrl,
    HOOKLINE_ENCRYPTION_KEYS: encryptionKeys,
    ...env,
  });
  const metrics = new Metrics();
  const parts: Part[] = build(config, {
    log: silentLogger,
    clock: systemClock,
    metrics,
    tracer: noTracer,
    crashPoints: noCrashPoints,
    fail: (error) => {
      throw error;
    },
  });
  for (const part of parts) await part.start();
  const valueOf = async (name: string, wanted: Readonly<Record<string, string>>): Promise<number> => {
    // This one alone: hundreds ask at once.
    const metric = await metrics.getSingleMetric(name)?.get();
    const line = metric?.values.find(({ labels }) =>
      Object.entries(wanted).every(([label, value]) => (labels as Record<string, unknown>)[label] === value),
    );
    return line?.value ?? 0;
  };
  const starved = () => valueOf('hookline_ingress_turned_away_total', { reason: 'starved' });
  return {
    url,
    async post(sourceId, body, headers) {
      for (;;) {
        const before = await starved();
        const answer = await httpPost({ url: `${url}/v1/webhooks/${sourceId}`, headers, body, timeoutMs: 60_000 });
        if (answer.status !== 503 || (await starved()) === before) return answer;
        await delay(100);
      }
    },
    count: (source, outcome) => valueOf('hookline_ingress_requests_total', { source, outcome }),
    async stop() {
      for (const part of parts.reverse()) await part.stop();
    },
  };
}

export async function insertSource(
  postgres: Query,
  { tenant = 'acme', ...given }: { tenant?: string; scheme?: SourceScheme; settings?: SourceSettings } = {},
): Promise<TestSource> {
  const source = { id: createId('src', Date.now()), secret: generateSecret() };
  await postgres.query(
    'INSERT INTO sources (tenant, id, name, scheme, settings, secrets) VALUES ($1, $2, $3, $4, $5, $6)',
    [
      tenant,
      source.id,
      'test',
      given.scheme ?? 'hookline',
      JSON.stringify(given.settings ?? {}),
      secretBox.seal(JSON.stringify([{ secret: source.secret }]), secretsContext('sources', tenant, source.id)),
    ],
  );
  return source;
}

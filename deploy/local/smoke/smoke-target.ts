import { readFileSync } from 'node:fs';
import { writePrivateFile } from '../key-value-file.ts';
import type { ApiClient } from './api-client.ts';

export interface SmokeTarget {
  source: { id: string; secret: string; ingest_url: string };
  endpoint: { id: string; secret: string; url: string; effective_at: string };
}

/** The source and endpoint of the last smoke, if the API still knows them; otherwise new ones, stored for the next. */
export async function provideSmokeTarget(options: {
  api: ApiClient;
  file: string;
  receiverUrl: string;
}): Promise<SmokeTarget> {
  const { api, file, receiverUrl } = options;
  const kept = readIfThere(file);
  if (kept !== undefined && kept.endpoint.url === receiverUrl && (await isKnown(api, kept))) return kept;
  const source = await api.post<SmokeTarget['source']>('/v1/sources', { name: 'make smoke', scheme: 'hookline' });
  const endpoint = await api.post<SmokeTarget['endpoint']>('/v1/endpoints', {
    url: receiverUrl,
    description: 'make smoke',
    // Its receiver runs only during a smoke: other events would wait for it in vain.
    source_ids: [source.id],
  });
  const target = {
    source: pick(source, ['id', 'secret', 'ingest_url']),
    endpoint: pick(endpoint, ['id', 'secret', 'url', 'effective_at']),
  };
  writePrivateFile(file, `${JSON.stringify(target, null, 2)}\n`);
  return target;
}

const clocksApartMs = 500;

/** An endpoint gets only what is accepted from its `effective_at` on. One that was kept by an earlier version has none, and is old. */
export const isSettled = ({ endpoint }: SmokeTarget, nowMs: number): boolean =>
  !(nowMs < Date.parse(endpoint.effective_at) + clocksApartMs);

async function isKnown(api: ApiClient, { source, endpoint }: SmokeTarget): Promise<boolean> {
  const [knownSource, knownEndpoint] = await Promise.all([
    api.find<{ ingest_url: string }>(`/v1/sources/${source.id}`),
    api.find<{ disabled_at: string | null }>(`/v1/endpoints/${endpoint.id}`),
  ]);
  return (
    knownSource?.ingest_url === source.ingest_url && knownEndpoint !== undefined && knownEndpoint.disabled_at === null
  );
}

function readIfThere(file: string): SmokeTarget | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as SmokeTarget;
  } catch {
    return undefined;
  }
}

function pick<T extends object, K extends keyof T>(from: T, keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<T, K>;
}

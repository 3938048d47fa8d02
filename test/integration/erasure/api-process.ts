import { randomUUID } from 'node:crypto';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { adminKey } from '../../unit/api/build-test-app.ts';
import type { World } from '../dispatcher/world.ts';

interface Answer {
  status: number;
  text: string;
  cursor: string | null;
  json: Record<string, unknown>;
}

const timeoutMs = 60_000;

/** The API beside the pipeline of a world, as a process that a crash point can kill; asked with the admin key. */
export async function startApi(world: World, more: Record<string, string> = {}) {
  const [port = 0] = await freePorts(1);
  const env = { HOOKLINE_ADMIN_KEY: adminKey, HOOKLINE_API_PORT: String(port), ...more };
  const process = await world.spawnService('api', env);
  await process.ready(timeoutMs);
  const ask = async (method: string, path: string, body?: object, of = 'acme'): Promise<Answer> => {
    const response = await fetch(`http://127.0.0.1:${port}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${adminKey}`,
        'hookline-tenant': of,
        ...(body !== undefined && { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = (text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : {}) as Record<string, unknown>;
    return { status: response.status, text, cursor: response.headers.get('hookline-cursor'), json };
  };
  return { ...process, ask };
}

type Api = Awaited<ReturnType<typeof startApi>>;

export const completed = (api: Api, id: unknown) =>
  waitUntil('the erasure has completed', async () => {
    const { json } = await api.ask('GET', `/erasures/${String(id)}`);
    return json['status'] === 'completed' ? json : undefined;
  });

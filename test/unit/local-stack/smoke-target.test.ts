import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient } from '#deploy/local/smoke/api-client.ts';
import { isSettled, provideSmokeTarget } from '#deploy/local/smoke/smoke-target.ts';

const receiverUrl = 'http://127.0.0.1:8090/hookline-smoke';
const createdAt = '2026-01-01T00:00:00.000000Z';
const effectiveAt = '2026-01-01T00:00:02.000000Z';

/** An API that remembers what was created in it. */
function createFakeApi() {
  const resources = new Map<string, Record<string, unknown>>();
  const api: ApiClient = {
    get: async <T>(path: string) => resources.get(path) as T,
    find: async <T>(path: string) => resources.get(path) as T | undefined,
    patch: () => Promise.reject(new Error('it changes nothing')),
    post: async <T>(path: string, body: unknown) => {
      const id = `${path.includes('sources') ? 'src' : 'ep'}_${resources.size + 1}`;
      const resource = {
        ...(body as object),
        id,
        secret: `whsec_${id}`,
        ingest_url: `http://127.0.0.1:8080/v1/webhooks/${id}`,
        created_at: createdAt,
        effective_at: effectiveAt,
        disabled_at: null,
      };
      resources.set(`${path}/${id}`, resource);
      return resource as T;
    },
  };
  return { api, resources };
}

describe("the smoke's source and endpoint", () => {
  let dir: string;
  let file: string;

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'hookline-smoke-'));
    file = join(dir, 'smoke.json');
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('are made once, and used again as long as the API knows them', async () => {
    const { api, resources } = createFakeApi();
    const first = await provideSmokeTarget({ api, file, receiverUrl });
    const second = await provideSmokeTarget({ api, file, receiverUrl });
    expect(second).toEqual(first);
    expect([...resources.keys()]).toEqual([`/v1/sources/${first.source.id}`, `/v1/endpoints/${first.endpoint.id}`]);
  });

  it('the endpoint gets nothing but what comes from the source', async () => {
    const { api, resources } = createFakeApi();
    const { source, endpoint } = await provideSmokeTarget({ api, file, receiverUrl });
    expect(resources.get(`/v1/endpoints/${endpoint.id}`)).toMatchObject({ source_ids: [source.id], url: receiverUrl });
  });

  it.each<[string, (resources: Map<string, Record<string, unknown>>) => void]>([
    ['a database that was emptied', (resources) => resources.clear()],
    [
      'an endpoint that was disabled',
      (resources) => {
        for (const resource of resources.values()) resource.disabled_at = createdAt;
      },
    ],
  ])('are made anew after %s', async (_what, happen) => {
    const { api, resources } = createFakeApi();
    const first = await provideSmokeTarget({ api, file, receiverUrl });
    happen(resources);
    const second = await provideSmokeTarget({ api, file, receiverUrl });
    expect(resources.has(`/v1/endpoints/${second.endpoint.id}`)).toBe(true);
    expect(resources.get(`/v1/endpoints/${second.endpoint.id}`)?.disabled_at).toBeNull();
    expect(first).not.toBe(second);
  });

  it('are made anew where the receiver has another address, or the file is broken', async () => {
    const { api, resources } = createFakeApi();
    await provideSmokeTarget({ api, file, receiverUrl });
    const moved = await provideSmokeTarget({ api, file, receiverUrl: receiverUrl.replace('8090', '9090') });
    expect(moved.endpoint.url).toBe('http://127.0.0.1:9090/hookline-smoke');
    writeFileSync(file, '{"source":');
    await provideSmokeTarget({ api, file, receiverUrl });
    expect(resources.size).toBe(6);
  });

  it('an endpoint is settled half a second after its creation counts, and one of an earlier version is', async () => {
    const { api } = createFakeApi();
    const target = await provideSmokeTarget({ api, file, receiverUrl });
    const effectiveMs = Date.parse(effectiveAt);
    expect(isSettled(target, effectiveMs + 499)).toBe(false);
    expect(isSettled(target, effectiveMs + 500)).toBe(true);
    const kept = JSON.parse(JSON.stringify({ ...target.endpoint, effective_at: undefined })) as typeof target.endpoint;
    expect(isSettled({ ...target, endpoint: kept }, effectiveMs)).toBe(true);
  });
});

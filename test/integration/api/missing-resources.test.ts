import { randomUUID } from 'node:crypto';
import { createId } from '#lib/runtime';
import type { Answer } from '../../unit/api/ask.ts';
import { type OpenApi, openApi } from './api-over-database.ts';

/** Answers to a client or a crawler where there is nothing: each case by its id in the list of checks for missing resources. */

let api: OpenApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

function expectMissing(answer: Answer, status: number, code: string): void {
  expect(answer.status).toBe(status);
  expect(answer.headers).toMatchObject({
    'content-type': 'application/problem+json',
    'cache-control': 'private, no-store',
    vary: expect.stringMatching(/\baccept\b/i) as string,
  });
  expect(answer.json()).toMatchObject({ status, code });
}

async function createAndDelete(): Promise<string[]> {
  const bodies: [string, object][] = [
    ['/v1/sources', { name: 'shop', scheme: 'hookline' }],
    ['/v1/endpoints', { url: 'https://example.com/in' }],
    ['/v1/api-keys', { name: 'ci', scopes: ['read'] }],
  ];
  const paths: string[] = [];
  for (const [collection, body] of bodies) {
    const created = await api.ask({ method: 'POST', path: collection, body });
    expect(created.status).toBe(201);
    const path = `${collection}/${created.json<{ id: string }>().id}`;
    expect((await api.ask({ path })).status).toBe(200);
    expect((await api.ask({ method: 'DELETE', path })).status).toBe(204);
    paths.push(path);
  }
  return paths;
}

const neverPaths = (): string[] => {
  const id = (prefix: Parameters<typeof createId>[0]) => createId(prefix, Date.now());
  return [
    `/v1/sources/${id('src')}`,
    `/v1/sources/${id('src')}/rejections`,
    `/v1/endpoints/${id('ep')}`,
    `/v1/events/${id('evt')}`,
    `/v1/events/${id('evt')}/payload`,
    `/v1/events/${id('evt')}/request`,
    `/v1/events/${id('evt')}/deliveries`,
    `/v1/events/${id('evt')}/receipts`,
    `/v1/events/${id('evt')}/matching`,
    `/v1/deliveries/${id('dlv')}`,
    `/v1/deliveries/${id('dlv')}/attempts`,
    `/v1/dead-letters/${id('dl')}`,
    `/v1/replays/${id('rpl')}`,
    `/v1/api-keys/${id('key')}`,
  ];
};

test('random-path: what never was is 404, for HEAD too', async () => {
  const random = ['sources', 'endpoints', 'events', 'deliveries', 'dead-letters', 'replays', 'api-keys'].map(
    (collection) => `/v1/${collection}/${randomUUID()}`,
  );
  for (const path of [`/${randomUUID()}`, '/', '/v1', ...random, ...neverPaths()]) {
    const get = await api.ask({ path });
    expectMissing(get, 404, 'not_found');
    const head = await api.ask({ method: 'HEAD', path });
    expect([head.status, head.text]).toEqual([404, '']);
    expect({ ...head.headers, date: '' }).toEqual({ ...get.headers, date: '' });
  }
});

test('deleted, never-existed-vs-deleted: what was deleted is 410, for HEAD, PATCH and DELETE too, and no POST brings it back', async () => {
  for (const path of await createAndDelete()) {
    const get = await api.ask({ path });
    expectMissing(get, 410, 'gone');
    const head = await api.ask({ method: 'HEAD', path });
    expect([head.status, head.text]).toEqual([410, '']);
    expect({ ...head.headers, date: '' }).toEqual({ ...get.headers, date: '' });
    expectMissing(await api.ask({ method: 'DELETE', path }), 410, 'gone');
    if (!path.includes('api-keys')) expectMissing(await api.ask({ method: 'PATCH', path, body: {} }), 410, 'gone');
    const posted = await api.ask({ method: 'POST', path, body: {} });
    expectMissing(posted, 405, 'method_not_allowed');
    const below = path.replace('/v1/', '').split('/')[0] === 'sources' ? 'rotate-secret' : 'enable';
    if (!path.includes('api-keys'))
      expectMissing(await api.ask({ method: 'POST', path: `${path}/${below}` }), 410, 'gone');
    // Another tenant does not learn that it existed.
    expectMissing(await api.ask({ path, tenant: 'other' }), 404, 'not_found');
  }
});

test('custom-error-page: a browser is shown a page, with the same status', async () => {
  const [deleted = ''] = await createAndDelete();
  const cases: [string, string, number][] = [
    ['GET', '/v1/nothing', 404],
    ['GET', neverPaths()[0] ?? '', 404],
    ['GET', deleted, 410],
    ['PUT', '/v1/sources', 405],
  ];
  for (const [method, path, status] of cases) {
    const answer = await api.ask({ method, path, headers: { accept: browser } });
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-store',
      'content-length': String(answer.bytes.length),
    });
    expect(answer.text).toContain(`<h1>${status}</h1>`);
    expect(answer.headers.allow).toBe(status === 405 ? 'GET, HEAD, POST' : undefined);
    if (method === 'PUT') continue;
    const head = await api.ask({ method: 'HEAD', path, headers: { accept: browser } });
    expect({ ...head.headers, date: '' }).toEqual({ ...answer.headers, date: '' });
  }
});

test('problem-json, cache: who asks for JSON, or for anything, gets a problem that says its status and is not kept', async () => {
  for (const accept of ['application/json', 'application/problem+json', '*/*', 'application/json, text/html;q=0.9'])
    expectMissing(await api.ask({ path: '/v1/nothing', headers: { accept } }), 404, 'not_found');
});

test('empty-search: a collection with nothing in it is an empty list', async () => {
  const tenant = `empty-${randomUUID()}`;
  for (const collection of ['sources', 'endpoints', 'events', 'dead-letters', 'replays', 'api-keys']) {
    const answer = await api.ask({ path: `/v1/${collection}`, tenant });
    expect([answer.status, answer.text]).toEqual([200, '[]']);
  }
});

test('redirect: nothing that is missing leads anywhere else', async () => {
  for (const path of [
    '/v1/sources/',
    '//v1/sources',
    '/V1/sources',
    '/v1/./sources',
    '/v1/sources/x/',
    '/index.html',
  ]) {
    const answer = await api.ask({ path });
    expect([path, answer.status, answer.headers.location]).toEqual([path, 404, undefined]);
  }
});

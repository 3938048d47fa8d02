import { waitUntil } from '../../support/wait-until.ts';
import type { Ingress } from '../ingress/ingress-process.ts';
import { type ApiWithIngress, openApiWithIngress, sendSigned, type SignedSource } from './api-with-ingress.ts';

/** Within which every change must be in force everywhere. */
const inForce = { timeoutMs: 5_000, everyMs: 100 };

let world: ApiWithIngress;
let ingress: Ingress;
beforeAll(async () => {
  world = await openApiWithIngress();
  ingress = await world.startIngress();
});
afterAll(() => world?.close());

const ask: ApiWithIngress['api']['ask'] = (asking) => world.api.ask(asking);
const create = (): Promise<SignedSource> => world.createSource();
const send = (source: SignedSource): Promise<number> => sendSigned(ingress, source);

const answers = (source: SignedSource, status: number) =>
  waitUntil(`the ingress answers ${status}`, async () => (await send(source)) === status, inForce);

test('a source takes webhooks in as soon as its 201 is there', async () => {
  for (let n = 0; n < 5; n += 1) expect(await send(await create())).toBe(202);
});

test('a change is in force within five seconds, and so is its undoing', async () => {
  const source = await create();
  const patch = (body: object) => ask({ method: 'PATCH', path: `/v1/sources/${source.id}`, body });
  expect(await send(source)).toBe(202);
  await patch({ response_status: 200 });
  await answers(source, 200);
  await patch({ response_status: null, allowed_ips: ['192.0.2.0/24'] });
  await answers(source, 403);
  await patch({ allowed_ips: null });
  await answers(source, 202);
});

test('during a rotation both secrets are valid, and after one without overlap the new one alone', async () => {
  const source = await create();
  expect(await send(source)).toBe(202);
  const rotate = async (overlapSeconds: number): Promise<SignedSource> => {
    const path = `/v1/sources/${source.id}/rotate-secret`;
    const answer = await ask({ method: 'POST', path, body: { overlap_seconds: overlapSeconds } });
    return { id: source.id, secret: answer.json<{ secret: string }>().secret };
  };

  const second = await rotate(600);
  await answers(second, 202);
  expect(await send(source)).toBe(202);

  const third = await rotate(0);
  await answers(third, 202);
  expect(await send(source)).toBe(401);
  expect(await send(second)).toBe(401);
});

test('an overlap ends by itself', async () => {
  const source = await create();
  const path = `/v1/sources/${source.id}/rotate-secret`;
  await ask({ method: 'POST', path, body: { overlap_seconds: 3 } });
  expect(await send(source)).toBe(202);
  await waitUntil('the old secret has ended', async () => (await send(source)) === 401, {
    timeoutMs: 8_000,
    everyMs: 100,
  });
});

test('a deleted source is gone for its senders within five seconds', async () => {
  const source = await create();
  expect(await send(source)).toBe(202);
  await ask({ method: 'DELETE', path: `/v1/sources/${source.id}` });
  await answers(source, 410);
});

test('a webhook that is refused is seen with its reason, and its body where the source keeps it', async () => {
  const source = await create();
  await ask({ method: 'PATCH', path: `/v1/sources/${source.id}`, body: { keep_rejected_bodies: true } });
  const seen = async (): Promise<{ code: string; body?: string }[]> => {
    // Until the change is in force, bodies are not kept.
    expect(await send({ ...source, secret: 'another' })).toBe(401);
    return (await ask({ path: `/v1/sources/${source.id}/rejections?limit=1` })).json();
  };
  const kept = async () => (await seen()).find(({ body }) => body !== undefined);
  const rejection = await waitUntil('a rejection with its body', kept, { timeoutMs: 15_000, everyMs: 500 });
  expect(rejection).toMatchObject({
    id: expect.stringMatching(/^rej_/) as string,
    code: 'signature_invalid',
    client_address: '127.0.0.1',
    headers: expect.objectContaining({ 'hookline-signature': expect.stringMatching(/^t=\d+,v1=/) as string }) as object,
    body: '{"id":"1"}',
    body_encoding: 'utf-8',
    body_truncated: false,
    body_bytes: 10,
  });
});

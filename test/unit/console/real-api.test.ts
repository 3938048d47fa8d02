/** The fake API of these tests answers as the real one does, where the console depends on it: who is asking, and how it is refused. */
import type { HttpRequest, Transport } from '#client';
import { allTenants } from '../../../services/api/keys/identify-caller.ts';
import type { KnownKey } from '../../../services/api/keys/key-directory.ts';
import type { KnownSession } from '../../../services/api/keys/session-directory.ts';
import { adminKey, buildTestApp } from '../api/build-test-app.ts';
import { createFakeApi, operatorToken, tenantToken } from '../../support/console/fake-api.ts';

const key = { id: 'key_1', tenant: 'acme', scopes: ['read', 'write', 'publish', 'admin'] } as unknown as KnownKey;
const session = (id: string, tenant: string, of: KnownKey | undefined): KnownSession =>
  ({
    id,
    tenant,
    scopes: ['read', 'write', 'publish', 'admin'],
    key: of,
    expiresAt: '2026-01-01T12:00:00.000000Z',
  }) as unknown as KnownSession;

const { app } = buildTestApp({
  findSession: async (token) => {
    if (token === tenantToken) return session('ses_acme', 'acme', key);
    return token === operatorToken ? session('ses_operator', allTenants, undefined) : 'unknown';
  },
});

const real: Transport = async ({ method, path, headers, body }) => {
  const answer = await app.inject({ method, url: path, headers, ...(body !== undefined && { payload: body }) });
  return {
    status: answer.statusCode,
    bytes: answer.rawPayload,
    header: (name) => [answer.headers[name]].flat()[0]?.toString(),
  };
};

afterAll(() => app.close());

const me = (credential: string, tenant?: string): HttpRequest => ({
  method: 'GET',
  path: '/v1/me',
  headers: { authorization: `Bearer ${credential}`, ...(tenant !== undefined && { 'hookline-tenant': tenant }) },
});

/** The shape of an answer: its status, its members, and the values that the console reads. */
async function shapeOf(transport: Transport, call: HttpRequest): Promise<unknown> {
  const answer = await transport(call);
  if ('noAnswer' in answer) return answer;
  const body = JSON.parse(answer.bytes.toString()) as Record<string, unknown>;
  const { credential, tenant, all_tenants, scopes, code } = body;
  return { status: answer.status, type: (credential as { type?: string })?.type, tenant, all_tenants, scopes, code };
}

test.each([
  ['a tenant’s session', me(tenantToken)],
  ['the operator’s session', me(operatorToken)],
  ['the operator’s key', me(adminKey)],
  ['nobody', me('hs_nobody')],
])('%s is shown alike by both', async (_, call) => {
  expect(await shapeOf(createFakeApi().transport, call)).toEqual(await shapeOf(real, call));
});

test('the operator’s session may ask for all tenants', async () => {
  expect(await shapeOf(real, me(operatorToken, allTenants))).toMatchObject({ status: 200, all_tenants: true });
});

test('a session cannot make another one, so that its own token is taken as it is', async () => {
  const made = await shapeOf(real, {
    method: 'POST',
    path: '/v1/sessions',
    headers: {
      authorization: `Bearer ${tenantToken}`,
      'content-type': 'application/json',
      'idempotency-key': 'a-key-of-a-form',
    },
    body: '{}',
  });
  expect(made).toMatchObject({ status: 403, code: 'forbidden' });
});

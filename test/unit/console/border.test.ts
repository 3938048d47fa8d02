import { buildTestConsole } from '../../support/console/build-test-console.ts';
import { operatorToken, tenantToken } from '../../support/console/fake-api.ts';

test('the tenant is that of the path, whatever a parameter or a header says', async () => {
  const { get, api } = buildTestConsole();
  api.on('GET /v1/endpoints', { body: [] });
  for (const name of ['tenant', 'hookline-tenant', 'hookline_tenant']) {
    expect((await get(`/t/acme/endpoints?${name}=other`, operatorToken)).statusCode).toBe(400);
    expect((await get(`/t/acme/endpoints?${name}=other`, tenantToken)).statusCode).toBe(400);
  }
  expect((await get('/t/acme/endpoints', operatorToken, { 'hookline-tenant': 'other' })).statusCode).toBe(200);
  const tenants = api.calls.flatMap(({ headers }) => headers['hookline-tenant'] ?? []);
  expect(new Set(tenants)).toEqual(new Set(['acme']));
});

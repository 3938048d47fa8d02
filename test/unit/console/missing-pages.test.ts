import { buildTestConsole } from '../../support/console/build-test-console.ts';
import { consoleRoutes, idsThatNeverWere } from '../../support/console/console-routes.ts';
import { operatorToken, problemReply } from '../../support/console/fake-api.ts';

const ids = idsThatNeverWere();
const operator = {
  credential: { type: 'session', id: 'ses_operator' },
  tenant: 'default',
  all_tenants: true,
  scopes: ['admin'],
  expires_at: null,
};

/** A console of the operator, whose API answers all else about the tenant in one way. */
function buildRefusingConsole(status: number, code: string) {
  const { api, get, send } = buildTestConsole();
  for (const method of ['GET', 'POST'])
    api.on(`${method} /v1/*`, ({ path, headers }) =>
      path === '/v1/me' && headers['hookline-tenant'] !== 'gone' ? { body: operator } : problemReply(status, code),
    );
  return {
    statusesOf: async (url: string) => [
      (await get(url, operatorToken)).statusCode,
      (await send({ method: 'HEAD', url, headers: { cookie: `hookline=${operatorToken}` } })).statusCode,
    ],
  };
}

const pagesOfTenant = consoleRoutes.filter(({ isOfTenant, get }) => isOfTenant && get !== undefined);

test('every page of a deleted tenant is a 410, of GET and HEAD, also a form that asks nothing of the API', async () => {
  const { statusesOf } = buildRefusingConsole(410, 'gone');
  const others: unknown[] = [];
  for (const { at } of pagesOfTenant) {
    const url = at('gone', ids);
    const statuses = await statusesOf(url);
    if (statuses.some((status) => status !== 410)) others.push([url, ...statuses]);
  }
  expect(others).toEqual([]);
  expect(pagesOfTenant.length).toBeGreaterThan(30);
});

test('every page of a thing that never was is a 404, of GET and HEAD', async () => {
  const { statusesOf } = buildRefusingConsole(404, 'not_found');
  const others: unknown[] = [];
  for (const { at, kinds } of pagesOfTenant) {
    const url = at('acme', ids);
    const statuses = kinds.length === 0 ? [] : await statusesOf(url);
    if (statuses.some((status) => status !== 404)) others.push([url, ...statuses]);
  }
  expect(others).toEqual([]);
});

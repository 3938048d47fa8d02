import { readFileSync } from 'node:fs';
import { METHODS } from 'node:http';
import { join } from 'node:path';
import type { Rate, RateLimiter } from '#lib/rate-limit';
import type { KnownKey } from '../../../services/api/keys/key-directory.ts';
import { scopesDocument } from '../../support/scopes-document.ts';
import { closeApps } from './ask.ts';
import {
  authorization as adminAuthorization,
  buildTestApp,
  createKeptLog,
  postgresOf,
  testRoutes,
} from './build-test-app.ts';

afterEach(closeApps);

const authorization = 'Bearer a-key';
const keyOf = (given: Partial<KnownKey> = {}): KnownKey => ({
  id: 'key_1',
  tenant: 'acme',
  scopes: ['admin'],
  rateLimit: undefined,
  ...given,
});

/** The API to which `a-key` is this key; its database has nothing. */
function appFor(key: KnownKey | 'unavailable', given: Parameters<typeof buildTestApp>[0] = {}) {
  const tenants: unknown[] = [];
  const postgres = postgresOf(async (_text, values) => (tenants.push(values?.[0]), []));
  const findKey = async (text: string) => (text === 'a-key' ? key : 'unknown');
  return { ...buildTestApp({ postgres, findKey, ...given }), tenants };
}

const allRoutes = testRoutes().map(({ method, url, config }) => {
  const isPublic = config?.operation?.isPublic === true;
  return { method: String(method), url, isPublic, path: url.replace(':id', 'x') };
});

const scopeRow = /^\| `([A-Z]+ \/v1\/[^`]*)` \| (?:`(\w+)`|none)(.*) \|$/gm;

describe('a key of a tenant', () => {
  test('asks for its tenant, named or not', async () => {
    const { ask, tenants } = appFor(keyOf());
    expect((await ask({ path: '/v1/sources', headers: { authorization } })).status).toBe(200);
    const named = { authorization, 'hookline-tenant': 'acme' };
    expect((await ask({ path: '/v1/sources', headers: named })).status).toBe(200);
    expect(tenants).toEqual(['acme', 'acme']);
  });

  test.each(['default', 'other', '', '../x', 'acme, acme'])(
    'is refused where it names another, or what is none: %j',
    async (tenant) => {
      const { ask, tenants } = appFor(keyOf());
      const answer = await ask({ path: '/v1/sources', headers: { authorization, 'hookline-tenant': tenant } });
      expect([answer.status, answer.json<{ code: string }>().code]).toEqual([403, 'forbidden']);
      expect(tenants).toEqual([]);
    },
  );

  test('is 401 where it is not known, and 503 where that can’t be told', async () => {
    const unknown = await appFor(keyOf()).ask({ path: '/v1/sources', headers: { authorization: 'Bearer another' } });
    expect([unknown.status, unknown.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    const untold = await appFor('unavailable').ask({ path: '/v1/sources', headers: { authorization } });
    expect(untold.status).toBe(503);
    expect(Number(untold.headers['retry-after'])).toBeGreaterThan(0);
  });

  test('is what requests are counted under, and the log names it, not its text', async () => {
    const noted: unknown[] = [];
    const { log, lines } = createKeptLog();
    const { ask } = appFor(keyOf(), { log, keyUses: { note: (key) => void noted.push(key) } });
    await ask({ path: '/v1/sources', headers: { authorization } });
    await ask({ path: '/v1/sources', headers: { authorization: adminAuthorization } });
    expect(noted).toEqual([keyOf()]);
    expect(lines.map(({ credential }) => credential)).toEqual(['key_1', 'admin']);
    expect(JSON.stringify(lines)).not.toContain('a-key');
  });
});

describe('scopes', () => {
  /** As the README says. */
  const documented = new Map(
    [...readFileSync(join(import.meta.dirname, '../../../services/api/README.md'), 'utf8').matchAll(scopeRow)].map(
      ([, each = '', scope = '', notes = '']) => [each, { scope, notes }],
    ),
  );
  const needed = ({ method, url }: (typeof allRoutes)[number]): { scope: string; notes: string } => {
    const found = documented.get(`${method} ${url.replaceAll(/:(\w+)/g, '{$1}')}`);
    if (found === undefined) throw new Error(`${method} ${url} is not in the README's table of scopes`);
    return found;
  };
  const withKey = allRoutes.filter(({ isPublic }) => !isPublic);

  test('the README has the scope of each route (`npm run docs:write` writes the table anew)', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../services/api/README.md'), 'utf8');
    expect(page).toBe(scopesDocument(page));
  });

  test.each(['read', 'write', 'publish', 'admin'] as const)(
    '%s allows what it is for, and nothing else',
    async (scope) => {
      const { ask } = appFor(keyOf({ scopes: [scope] }));
      for (const each of withKey) {
        const { scope: wanted, notes } = needed(each);
        const isAllowed =
          wanted === 'any' ||
          wanted === scope ||
          (scope === 'admin' && wanted !== 'operator') ||
          (notes.includes(`dry_run`) && notes.includes(`\`${scope}\``));
        const answer = await ask({ method: each.method, path: each.path, headers: { authorization } });
        const seen = { route: `${each.method} ${each.url}`, isForbidden: answer.status === 403 };
        // A dry run is told by the body, which this request does not have.
        const isDryRunAlone = isAllowed && wanted !== scope && notes.includes('dry_run') && scope !== 'admin';
        expect(seen).toEqual({ ...seen, isForbidden: !isAllowed || isDryRunAlone });
        if (answer.status === 403)
          expect(answer.json<{ detail: string }>().detail).toContain(`does not have the scope ${wanted}`);
      }
    },
  );

  test('all that something needs allow it together, and the operator’s key allows everything', async () => {
    const both = appFor(keyOf({ scopes: ['write', 'read'] }));
    expect((await both.ask({ path: '/v1/events/x', headers: { authorization } })).status).toBe(404);
    const deleted = await both.ask({ method: 'DELETE', path: '/v1/sources/x', headers: { authorization } });
    expect(deleted.status).toBe(404);
    for (const { method, path } of allRoutes)
      expect((await both.ask({ method, path, headers: { authorization: adminAuthorization } })).status).not.toBe(403);
  });

  test('a dry run needs less than what it tries', async () => {
    const { ask } = appFor(keyOf({ scopes: ['read'] }));
    const headers = { authorization, 'content-type': 'application/json' };
    for (const each of withKey.filter((one) => needed(one).notes.includes('dry_run'))) {
      const { method, path } = each;
      const tried = await ask({ method, path, headers, body: { dry_run: true } });
      expect([path, tried.status === 403]).toEqual([path, false]);
      for (const body of [{}, { dry_run: false }, { dry_run: 'true' }, [{ dry_run: true }]]) {
        const answer = await ask({ method, path, headers, body });
        expect([path, body, answer.status]).toEqual([path, body, 403]);
        expect(answer.json<{ detail: string }>().detail).toBe(`The key does not have the scope ${needed(each).scope}`);
      }
    }
  });

  test('HEAD needs what GET needs', async () => {
    const asking = { method: 'HEAD', path: '/v1/sources', headers: { authorization } };
    expect((await appFor(keyOf({ scopes: ['read'] })).ask(asking)).status).toBe(200);
    expect((await appFor(keyOf({ scopes: ['write'] })).ask(asking)).status).toBe(403);
  });
});

describe('the rate of a key', () => {
  /** A limiter with nothing left. */
  const used = (rates: [string, Rate][]): { limiter: RateLimiter } => ({
    limiter: {
      async take(key, rate) {
        rates.push([key, rate]);
        return { granted: false, retryAfterMs: 1_200 };
      },
    },
  });

  test('and of all keys of its tenant: beyond it, the limit is named, and the key was asked first', async () => {
    const rates: [string, Rate][] = [];
    const limiter: RateLimiter = {
      async take(key, rate) {
        rates.push([key, rate]);
        return key === 'acme' ? { granted: false, retryAfterMs: 2_100 } : { granted: true };
      },
    };
    const answer = await appFor(keyOf(), { limiter }).ask({ path: '/v1/sources', headers: { authorization } });
    expect([answer.status, answer.json()]).toMatchObject([
      429,
      { code: 'limit_reached', limit: 'requests_per_second' },
    ]);
    expect(answer.headers['retry-after']).toBe('3');
    expect(rates).toEqual([
      ['acme:key_1', { perSecond: 100, burst: 200 }],
      ['acme', { perSecond: 500, burst: 1_000 }],
    ]);
  });

  test('is its own, or that of all that have none, and above it it is told when to come again', async () => {
    const rates: [string, Rate][] = [];
    const own = { perSecond: 1, burst: 2 };
    for (const rateLimit of [own, undefined]) {
      const { ask } = appFor(keyOf({ rateLimit }), used(rates));
      // Above its rate a key is not told what it may do.
      const answer = await ask({ path: '/v1/sources', headers: { authorization, 'hookline-tenant': 'other' } });
      expect([answer.status, answer.json<{ code: string }>().code]).toEqual([429, 'rate_limited']);
      expect(answer.headers['retry-after']).toBe('2');
    }
    expect(rates).toEqual([
      ['acme:key_1', own],
      ['acme:key_1', { perSecond: 100, burst: 200 }],
    ]);
  });

  test('does not hold up the operator, whose key has none', async () => {
    const { ask } = appFor(keyOf(), used([]));
    expect((await ask({ path: '/v1/sources', headers: { authorization: adminAuthorization } })).status).toBe(200);
  });
});

describe('a path that there is', () => {
  const usual = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];

  test('is 405 with Allow for every method that it does not have, to anyone', async () => {
    const { ask } = appFor(keyOf());
    for (const [url, routesOfUrl] of Map.groupBy(allRoutes, (each) => each.url)) {
      const allowed = new Set(routesOfUrl.map(({ method }) => method));
      if (allowed.has('GET')) allowed.add('HEAD');
      // All that Node can read, of one path: as many for each would take as long.
      const all = url === '/v1/sources/:id' ? METHODS.filter((method) => method !== 'CONNECT') : usual;
      const allow = [...allowed].sort().join(', ');
      for (const method of all.filter((one) => !allowed.has(one))) {
        const { status, headers } = await ask({ method, path: url.replace(':id', 'x') });
        expect([method, url, status, headers.allow]).toEqual([method, url, 405, allow]);
      }
    }
  });
});

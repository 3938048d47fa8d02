import { silentLogger, systemClock } from '#lib/runtime';
import { createKeyDirectory } from '../../../services/api/keys/key-directory.ts';
import { createSessionDirectory } from '../../../services/api/keys/session-directory.ts';
import type { Answer } from '../../unit/api/ask.ts';
import { buildTestApp, testOperatorKeys } from '../../unit/api/build-test-app.ts';
import { openApi } from './api-over-database.ts';

export const allCapabilities = ['view', 'replay', 'endpoints', 'secrets'];

export interface Link {
  id: string;
  code: string;
  url: string | null;
}

export type PortalWorld = Awaited<ReturnType<typeof openPortalWorld>>;

/** The API over a database, as the operator asks it and as customers do, whose sessions it knows. */
export async function openPortalWorld() {
  const api = await openApi({ closing: AbortSignal.abort() });
  const deps = { followPostgres: api.postgres, postgres: api.postgres, clock: systemClock, log: silentLogger };
  const keys = createKeyDirectory(deps);
  const uses = { note: () => undefined };
  const operatorKeys = testOperatorKeys;
  const sessions = createSessionDirectory({ ...deps, findKeyById: keys.findById, operatorKeys, uses });
  const parts = [keys, sessions];
  for (const part of parts) await part.start();
  const customers = buildTestApp({
    postgres: api.postgres,
    findKey: keys.find,
    findSession: sessions.find,
    clock: systemClock,
    // All that the operator allows; a customer gets nothing of it.
    vetUrl: () => ({ allowed: true }),
    closing: AbortSignal.abort(),
  });
  return {
    api,
    customers,
    async createLink(tenant: string, body: object = {}): Promise<Link> {
      const given = { capabilities: allCapabilities, ...body };
      const answer = await api.ask({ method: 'POST', path: '/v1/portal-links', body: given, tenant });
      expect([answer.status, answer.text]).toEqual([201, answer.text]);
      return answer.json();
    },
    redeem: (code: string, more: object = {}): Promise<Answer> =>
      customers.ask({
        method: 'POST',
        path: '/v1/portal-links/redeem',
        body: { code, ...more },
        headers: { 'content-type': 'application/json' },
      }),
    async close(): Promise<void> {
      for (const part of parts.toReversed()) await part.stop();
      await api.close();
    },
  };
}

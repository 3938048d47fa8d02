import type { ApiFailure } from '#client';
import type { Asked } from '../api-calls/console-api.ts';
import { allTenants, type Capability, type Scope, type Session } from './session.ts';

/** The answer of `GET /v1/me`. */
export interface Me {
  credential: { type: 'key' | 'session' | 'operator'; id: string };
  tenant: string;
  all_tenants: boolean;
  scopes: readonly Scope[];
  portal?: { capabilities: readonly Capability[]; return_url: string | null; accent: string | null } | null;
  expires_at: string | null;
}

export type FoundSession =
  | { kind: 'found'; session: Session }
  | { kind: 'none' }
  /** Whether there is one cannot be told now. */
  | { kind: 'failed'; failure: ApiFailure };

/** Asks the API about a credential, with or without a tenant. */
export type AskMe = (tenant: string | undefined) => Promise<Asked<Me>>;

/** Asks who a credential belongs to. The operator’s is asked for all tenants where the usual one was deleted. */
export async function askMe(ask: AskMe): Promise<Asked<Me>> {
  const answer = await ask(undefined);
  if (answer.ok || answer.failure.kind !== 'problem' || answer.failure.status !== 410) return answer;
  const ofAll = await ask(allTenants);
  return ofAll.ok ? ofAll : answer;
}

/** The session of a token. Only a session is one: a key in the cookie is not taken. */
export async function findSession(token: string, ask: AskMe): Promise<FoundSession> {
  const answer = await askMe(ask);
  if (answer.ok) return sessionOf(token, answer.value);
  const { failure } = answer;
  return failure.kind === 'problem' && failure.status === 401 ? { kind: 'none' } : { kind: 'failed', failure };
}

function sessionOf(token: string, { credential, tenant, all_tenants, scopes, portal, expires_at }: Me): FoundSession {
  if (credential.type !== 'session') return { kind: 'none' };
  const session = {
    id: credential.id,
    token,
    tenant: all_tenants ? undefined : tenant,
    scopes,
    portal: portal
      ? { capabilities: portal.capabilities, returnUrl: portal.return_url, accent: portal.accent }
      : undefined,
    expiresAt: expires_at ?? '',
  };
  return { kind: 'found', session };
}

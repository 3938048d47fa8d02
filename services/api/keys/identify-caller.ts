import { type Scope, scopes } from '#lib/api-contract';
import { type HeaderViewer, noTenant } from '#lib/contract';
import type { LookUpRow } from '#lib/postgres';
import type { KnownKey } from './key-directory.ts';
import { idInCredential } from './key-text.ts';
import { operatorCredential, type OperatorKey, type OperatorKeys } from './operator-keys.ts';
import type { KnownSession } from './session-directory.ts';

/** The sender of a request. */
export interface Caller {
  type: 'key' | 'session' | 'operator';
  /** The id of the key or session; `admin` for the operator. */
  id: string;
  /** The API key, for a session the one that it was made from; undefined: the operator's. */
  key: KnownKey | undefined;
  /** Undefined: all tenants; each request chooses one. */
  tenant: string | undefined;
  scopes: readonly Scope[];
  session: KnownSession | undefined;
  /** The key of the operator that was sent. */
  operatorKey: OperatorKey | undefined;
}

export interface IdentityDeps {
  operatorKeys: OperatorKeys;
  findKey: LookUpRow<KnownKey>;
  findSession: LookUpRow<KnownSession>;
}

/** The caller whose credential this is. A key of the operator is looked for first: it may have any form. */
export async function identifyCaller(
  { operatorKeys, findKey, findSession }: IdentityDeps,
  text: string,
): Promise<Caller | 'unknown' | 'unavailable'> {
  const operatorKey = operatorKeys.find(text);
  if (operatorKey !== undefined) return operator(operatorKey);
  if (idInCredential('hs', text) === undefined) {
    const key = await findKey(text);
    return typeof key === 'string' ? key : callerOfKey(key);
  }
  const session = await findSession(text);
  return typeof session === 'string' ? session : callerOfSession(session);
}

const operator = (operatorKey: OperatorKey): Caller => ({
  type: 'operator',
  id: operatorCredential,
  key: undefined,
  tenant: undefined,
  scopes,
  session: undefined,
  operatorKey,
});

const callerOfKey = (key: KnownKey): Caller => ({
  type: 'key',
  id: key.id,
  key,
  tenant: key.tenant,
  scopes: key.scopes,
  session: undefined,
  operatorKey: undefined,
});

const callerOfSession = (session: KnownSession): Caller => ({
  type: 'session',
  id: session.id,
  key: session.key,
  tenant: session.tenant === allTenants ? undefined : session.tenant,
  scopes: session.scopes,
  session,
  operatorKey: undefined,
});

/** The key that it sent, or that its session was made from; `admin` for the operator's. */
export const keyIdOf = ({ key }: Pick<Caller, 'key'>): string => key?.id ?? operatorCredential;

/** Came through a portal link. */
export const isCustomer = ({ session }: Pick<Caller, 'session'>): boolean => session?.portal !== undefined;

/** Whom the rules of headers take this caller for. */
export const headerViewerOf = (caller: Pick<Caller, 'session'>): HeaderViewer =>
  isCustomer(caller) ? 'customer' : 'tenant';

/** In the place of a tenant: the operator's, and not one of a customer. */
export const allTenants = noTenant;

/** Signing in and out, by the API's sessions. A key is sent to the API once, and kept nowhere. */
import type { ApiFailure } from '#client';
import type { Asked, WriteApi } from '../api-calls/console-api.ts';
import { path } from '../api-calls/paths.ts';
import type { ConsoleMetrics } from '../metrics.ts';
import { askMe } from './find-session.ts';
import { allTenants, type Session } from './session.ts';

export type SignInOutcome =
  /** `tenant`: undefined for the operator. */
  | { kind: 'signed_in'; token: string; tenant: string | undefined }
  | { kind: 'limited'; retryAfterSeconds: number }
  | { kind: 'failed'; failure: ApiFailure };

/** The outcome of a link to the portal. */
type LinkOutcome =
  | { kind: 'signed_in'; token: string; returnUrl: string | null }
  | Exclude<SignInOutcome, { kind: 'signed_in' }>;

export interface SessionActions {
  /** @param isReadOnly with the scope `read` alone, whatever the key may do */
  signIn(credential: string, options: { isReadOnly: boolean; idempotencyKey: string }): Promise<SignInOutcome>;
  redeem(code: string): Promise<SignInOutcome>;
  /** Whether a link to the portal could be redeemed. It still can be afterwards. */
  lookAtLink(code: string): Promise<Asked<unknown> | { kind: 'limited'; retryAfterSeconds: number }>;
  redeemLink(code: string): Promise<LinkOutcome>;
  /** @returns why the API may still know the session; undefined: it has ended */
  signOut(session: Session): Promise<ApiFailure | undefined>;
}

interface ActionOptions {
  /** The API for a credential; without one for what is public. */
  apiAs(credential: string | undefined, more?: { tenant?: string | undefined; idempotencyKey?: string }): WriteApi;
  /** Counts a try of the client's address. @returns seconds to wait, or 0 */
  takeSignIn(): number;
  /** The same for a look at a link. */
  takeLook(): number;
  metrics: Pick<ConsoleMetrics, 'signIns'>;
}

interface NewSession {
  token: string;
  tenant: string;
}

interface RedeemedLink {
  token: string;
  link: { return_url: string | null };
}

export function createSessionActions({ apiAs, takeSignIn, takeLook, metrics }: ActionOptions): SessionActions {
  async function limited<Outcome extends SignInOutcome | LinkOutcome>(
    attempt: () => Promise<Outcome>,
  ): Promise<Outcome | { kind: 'limited'; retryAfterSeconds: number }> {
    const retryAfterSeconds = takeSignIn();
    const outcome = retryAfterSeconds > 0 ? { kind: 'limited' as const, retryAfterSeconds } : await attempt();
    metrics.signIns.inc({ outcome: labelOf(outcome) });
    return outcome;
  }

  return {
    signIn: (credential, { isReadOnly, idempotencyKey }) =>
      limited<SignInOutcome>(async () => {
        const me = await askMe((tenant) => apiAs(credential, { tenant }).ask('/me'));
        if (!me.ok) return { kind: 'failed', failure: me.failure };
        const { all_tenants: ofAll, credential: given, tenant } = me.value;
        // The token of a session makes no other one: it is the session.
        if (given.type === 'session')
          return { kind: 'signed_in', token: credential, tenant: ofAll ? undefined : tenant };
        const body = { ...(ofAll && { tenant: allTenants }), ...(isReadOnly && { scopes: ['read'] }) };
        const made = await apiAs(credential, { idempotencyKey }).send<NewSession>('POST', '/sessions', { body });
        if (!made.ok) return { kind: 'failed', failure: made.failure };
        return signedIn(made.value);
      }),
    redeem: (code) =>
      limited<SignInOutcome>(async () => {
        const redeemed = await apiAs(undefined).query<NewSession>('/sessions/redeem', { code });
        return redeemed.ok ? signedIn(redeemed.value) : { kind: 'failed', failure: redeemed.failure };
      }),
    async lookAtLink(code) {
      const retryAfterSeconds = takeLook();
      return retryAfterSeconds > 0
        ? { kind: 'limited', retryAfterSeconds }
        : apiAs(undefined).query('/portal-links/redeem', { code, dry_run: true });
    },
    redeemLink: (code) =>
      limited<LinkOutcome>(async () => {
        const redeemed = await apiAs(undefined).query<RedeemedLink>('/portal-links/redeem', { code });
        if (!redeemed.ok) return { kind: 'failed', failure: redeemed.failure };
        const { token, link } = redeemed.value;
        return { kind: 'signed_in', token, returnUrl: link.return_url };
      }),
    async signOut({ id, token, tenant }) {
      const api = apiAs(token, { tenant: tenant === undefined ? allTenants : undefined, idempotencyKey: id });
      const ended = await api.send('DELETE', path`/sessions/${id}`);
      const isOver = ended.ok || (ended.failure.kind === 'problem' && [401, 404, 410].includes(ended.failure.status));
      return isOver ? undefined : ended.failure;
    },
  };
}

const signedIn = ({ token, tenant }: NewSession): SignInOutcome => ({
  kind: 'signed_in',
  token,
  tenant: tenant === allTenants ? undefined : tenant,
});

function labelOf(outcome: SignInOutcome | LinkOutcome): string {
  if (outcome.kind !== 'failed') return outcome.kind;
  return outcome.failure.kind === 'problem' && outcome.failure.status < 500 ? 'refused' : 'failed';
}

import type { ApiFailure, Value } from '#client';
import { ownPath } from '#lib/html';
import { isGone } from '../api-calls/calls.ts';
import type { Asked, WriteApi } from '../api-calls/console-api.ts';
import type { ConsoleMetrics } from '../metrics.ts';
import { type PageResult, seeOther } from '../page-result.ts';
import type { PublicContext } from '../page.ts';
import { problemOfFailure } from '../problem-of-failure.ts';
import { allTenants, type Session, usualTenant } from '../reader.ts';
import { tenantBase } from '../ui/shell.ts';
import { sessionCookie } from './cookies.ts';

interface Options {
  base: string;
  isSecure: boolean;
  /** The path that was wanted. */
  to: string | undefined;
  what: keyof typeof notValid;
}

/** The wanted page with the cookie, or the form again. */
export function answerSignIn(outcome: SignInOutcome, { base, isSecure, to, what }: Options): PageResult {
  switch (outcome.kind) {
    case 'signed_in': {
      const wanted = ownPath(to, base) ?? `${base}/`;
      const first = tenantBase(base, outcome.tenant ?? usualTenant);
      return seeOther(wanted === `${base}/` ? first : wanted, {
        'set-cookie': sessionCookie(outcome.token, { face: 'console', isSecure }),
      });
    }
    case 'limited': {
      const { retryAfterSeconds } = outcome;
      const message = `Too many attempts from your address. Try again in ${retryAfterSeconds} seconds.`;
      return { kind: 'sign_in', status: 429, message, retryAfterSeconds, to };
    }
    case 'failed': {
      const refused = wordsOf(outcome.failure, what);
      return refused === undefined ? problemOfFailure(outcome.failure) : { kind: 'sign_in', ...refused, to };
    }
  }
}

const notValid = {
  key: 'This key is not valid. It may have been revoked, or be incomplete.',
  code: 'This link was used already, or is too old. Make another one, or sign in with a key.',
};

function wordsOf(failure: ApiFailure, what: Options['what']): { status: 401 | 403; message: string } | undefined {
  if (failure.kind !== 'problem') return undefined;
  const { status, problem } = failure;
  if (status === 403)
    return { status, message: `${problem.detail ?? 'This key must not make sessions'}: signing in needs it.` };
  return status === 401 ? { status, message: notValid[what] } : undefined;
}

type Me = Value<'GET /v1/me'>;

export type FoundSession =
  | { kind: 'found'; session: Session }
  | { kind: 'none' }
  /** Whether there is one cannot be told now. */
  | { kind: 'failed'; failure: ApiFailure };

/** Asks the API about a credential, with or without a tenant. */
export type AskMe = (tenant: string | undefined) => Promise<Asked<Me>>;

/** Asks who a credential belongs to. The operator’s is asked for all tenants where the usual one was deleted. */
async function askMe(ask: AskMe): Promise<Asked<Me>> {
  const answer = await ask(undefined);
  if (answer.ok || !isGone(answer.failure)) return answer;
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

function sessionOf(token: string, { credential, tenant, all_tenants: ofAll, scopes, portal }: Me): FoundSession {
  const { type, id } = credential;
  const session = { id, token, tenant: ofAll ? undefined : tenant, scopes, portal: portal ?? undefined };
  return type === 'session' ? { kind: 'found', session } : { kind: 'none' };
}

/**
 * Ends the session of whoever asks, if there is one. Nobody may be told to be signed out while the token still works.
 *
 * @returns why it may still work; undefined: nobody is signed in any more
 */
export async function endSession(
  context: Pick<PublicContext, 'findSession' | 'actions'>,
): Promise<ApiFailure | undefined> {
  const found = await context.findSession();
  if (found.kind === 'none') return undefined;
  return found.kind === 'failed' ? found.failure : context.actions.signOut(found.session);
}

/** Signing in and out, by the API's sessions. A key is sent to the API once, and kept nowhere. */

type Limited = { kind: 'limited'; retryAfterSeconds: number };
type Failed = { kind: 'failed'; failure: ApiFailure };

/** `tenant`: undefined for the operator. */
export type SignInOutcome = { kind: 'signed_in'; token: string; tenant: string | undefined } | Limited | Failed;

/** The outcome of a link to the portal. */
type LinkOutcome = { kind: 'signed_in'; token: string; returnUrl: string | null } | Limited | Failed;

export interface SessionActions {
  /** @param isReadOnly with the scope `read` alone, whatever the key may do */
  signIn(credential: string, options: { isReadOnly: boolean; idempotencyKey: string }): Promise<SignInOutcome>;
  redeem(code: string): Promise<SignInOutcome>;
  /** Whether a link to the portal could be redeemed. It still can be afterwards. */
  lookAtLink(code: string): Promise<Asked<unknown> | Limited>;
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

export function createSessionActions({ apiAs, takeSignIn, takeLook, metrics }: ActionOptions): SessionActions {
  async function limited<Outcome extends SignInOutcome | LinkOutcome>(
    attempt: () => Promise<Outcome>,
  ): Promise<Outcome | Limited> {
    const retryAfterSeconds = takeSignIn();
    const outcome: Outcome | Limited = retryAfterSeconds > 0 ? { kind: 'limited', retryAfterSeconds } : await attempt();
    metrics.signIns.inc({ outcome: labelOf(outcome) });
    return outcome;
  }

  return {
    signIn: (credential, { isReadOnly, idempotencyKey }) =>
      limited<SignInOutcome>(async () => {
        const me = await askMe((tenant) => apiAs(credential, { tenant }).ask('GET /v1/me'));
        if (!me.ok) return { kind: 'failed', failure: me.failure };
        const { all_tenants: ofAll, credential: given, tenant } = me.value;
        // The token of a session makes no other one: it is the session.
        if (given.type === 'session')
          return { kind: 'signed_in', token: credential, tenant: ofAll ? undefined : tenant };
        const scopes = ['read' as const];
        const body = { ...(ofAll && { tenant: allTenants }), ...(isReadOnly && { scopes }) };
        return signedIn(await apiAs(credential, { idempotencyKey }).change('POST /v1/sessions', { body }));
      }),
    redeem: (code) =>
      limited(async () => signedIn(await apiAs(undefined).query('POST /v1/sessions/redeem', { body: { code } }))),
    async lookAtLink(code) {
      const retryAfterSeconds = takeLook();
      return retryAfterSeconds > 0
        ? { kind: 'limited', retryAfterSeconds }
        : apiAs(undefined).query('POST /v1/portal-links/redeem', { body: { code, dry_run: true } });
    },
    redeemLink: (code) =>
      limited<LinkOutcome>(async () => {
        const redeemed = await apiAs(undefined).query('POST /v1/portal-links/redeem', { body: { code } });
        if (!redeemed.ok) return { kind: 'failed', failure: redeemed.failure };
        const { token, link } = redeemed.value;
        if (token === null) throw new Error('a link that was redeemed has a token');
        return { kind: 'signed_in', token, returnUrl: link.return_url };
      }),
    async signOut({ id, token, tenant }) {
      const api = apiAs(token, { tenant: tenant === undefined ? allTenants : undefined, idempotencyKey: id });
      const ended = await api.change('DELETE /v1/sessions/:id', { params: { id } });
      const isOver = ended.ok || (ended.failure.kind === 'problem' && [401, 404, 410].includes(ended.failure.status));
      return isOver ? undefined : ended.failure;
    },
  };
}

function signedIn(asked: Asked<Value<'POST /v1/sessions'>>): SignInOutcome {
  if (!asked.ok) return { kind: 'failed', failure: asked.failure };
  const { token, tenant } = asked.value;
  if (token === null) throw new Error('a session that is made without a code has a token');
  return { kind: 'signed_in', token, tenant: tenant === allTenants ? undefined : tenant };
}

function labelOf(outcome: SignInOutcome | LinkOutcome): string {
  if (outcome.kind !== 'failed') return outcome.kind;
  return outcome.failure.kind === 'problem' && outcome.failure.status < 500 ? 'refused' : 'failed';
}

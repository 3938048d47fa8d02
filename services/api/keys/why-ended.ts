/**
 * A request may be held for a minute, longer than its credential counts. Its holder asks every second, and every read asks once more before it
 * is answered, from what the directories have in memory: nobody gets anything five seconds after a key was revoked, a session or its portal
 * link ended, or a tenant was deleted. No statement is made for it, so while the database is away, credentials count as they last did.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '#lib/clock';
import type { FollowedErasures } from '#lib/erasure';
import type { ProblemCode } from '#lib/problem';
import { whyForbidden } from './caller.ts';
import type { Caller } from './identify-caller.ts';
import type { KeyDirectory } from './key-directory.ts';
import type { SessionDirectory } from './session-directory.ts';

/** A request whose caller was let in. */
export type Asker = Pick<FastifyRequest, 'caller' | 'tenant' | 'method' | 'params' | 'routeOptions'>;

/** Why the caller would not be let in any more; undefined: it would. */
export type WhyEnded = (asker: Asker) => Extract<ProblemCode, 'unauthorized' | 'gone' | 'forbidden'> | undefined;

interface Deps {
  knownKey: KeyDirectory['known'];
  isSessionOpen: SessionDirectory['isOpen'];
  erased: Pick<FollowedErasures, 'hasTenant'>;
}

/** The holders look so often. */
export const lookEveryMs = 1_000;

export function createWhyEnded({ knownKey, isSessionOpen, erased }: Deps): WhyEnded {
  /** With the scopes that it has now; undefined: it doesn't count any more. */
  function today(caller: Caller): Caller | undefined {
    if (caller.session !== undefined && !isSessionOpen(caller.session.id)) return undefined;
    if (caller.key === undefined) return caller;
    const key = knownKey(caller.key.id);
    if (key === undefined) return undefined;
    return caller.type === 'key' ? { ...caller, key, scopes: key.scopes } : caller;
  }

  return (asker) => {
    const caller = today(asker.caller);
    if (caller === undefined) return 'unauthorized';
    if (erased.hasTenant(asker.tenant)) return 'gone';
    return whyForbidden(asker, caller) === undefined ? undefined : 'forbidden';
  };
}

/** Aborts when the client leaves, or when its credential doesn't count any more. */
export function whileAsked(
  reply: FastifyReply,
  { whyEnded, clock }: { whyEnded: WhyEnded; clock: Clock },
): AbortSignal {
  const over = new AbortController();
  // After the answer, too.
  reply.raw.once('close', () => over.abort());
  void (async () => {
    while (!over.signal.aborted) {
      await clock.sleep(lookEveryMs, over.signal);
      if (whyEnded(reply.request) !== undefined) over.abort();
    }
  })();
  return over.signal;
}

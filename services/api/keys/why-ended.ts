/**
 * A request may be held for a minute, longer than its credential counts. Its holder asks every second and a half, after a reading of the
 * directories, and every read asks once more before it is answered, from what they have in memory: nobody gets anything two seconds after a key was
 * revoked, a session or its portal link ended, or a tenant was deleted. All that are held share the reading, and while the database is away,
 * credentials count as they last did.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FollowedErasures } from '#lib/erasure';
import type { ProblemCode } from '#lib/problem';
import type { Clock } from '#lib/runtime';
import { whyForbidden } from './caller.ts';
import type { Caller } from './identify-caller.ts';
import type { KeyDirectory } from './key-directory.ts';
import type { SessionDirectory } from './session-directory.ts';

/** A request whose caller was let in. */
export type Asker = Pick<FastifyRequest, 'caller' | 'tenant' | 'method' | 'params' | 'routeOptions'>;

/** Why the caller would not be let in any more; undefined: it would. */
export interface WhyEnded {
  (asker: Asker): Extract<ProblemCode, 'unauthorized' | 'gone' | 'forbidden'> | undefined;
  /** Reads what it decides by, unless that was done a moment ago. Never rejects, and takes no longer than a second. */
  read(): Promise<void>;
}

interface Deps {
  keys: Pick<KeyDirectory, 'known' | 'recent'>;
  sessions: Pick<SessionDirectory, 'isOpen' | 'recent'>;
  erased: Pick<FollowedErasures, 'hasTenant' | 'recent'>;
}

/** The holders look so often. With the reading before each look, what ends is noticed within two seconds. */
export const lookEveryMs = 1_500;
/** So that each look has a reading of its own, which those of one moment share. */
const readWithinMs = 500;

export function createWhyEnded({ keys, sessions, erased }: Deps): WhyEnded {
  /** With the scopes that it has now; undefined: it doesn't count any more. */
  function today(caller: Caller): Caller | undefined {
    if (caller.session !== undefined && !sessions.isOpen(caller.session.id)) return undefined;
    if (caller.key === undefined) return caller;
    const key = keys.known(caller.key.id);
    if (key === undefined) return undefined;
    return caller.type === 'key' ? { ...caller, key, scopes: key.scopes } : caller;
  }

  const whyEnded = (asker: Asker): ReturnType<WhyEnded> => {
    const caller = today(asker.caller);
    if (caller === undefined) return 'unauthorized';
    if (erased.hasTenant(asker.tenant)) return 'gone';
    return whyForbidden(asker, caller) === undefined ? undefined : 'forbidden';
  };
  return Object.assign(whyEnded, {
    async read() {
      const readings = [keys, sessions, erased].map((followed) => followed.recent(readWithinMs));
      for (const reading of readings) await reading;
    },
  });
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
      await whyEnded.read();
      if (whyEnded(reply.request) !== undefined) over.abort();
    }
  })();
  return over.signal;
}

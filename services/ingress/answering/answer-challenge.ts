import { createHash, timingSafeEqual } from 'node:crypto';
import type { Outcome } from '../receiving/outcome.ts';
import { findSource } from '../sources/find-source.ts';
import type { Sender } from '../sources/sender-gate.ts';
import type { SourceDirectory } from '../sources/source-directory.ts';
import type { Source } from '../sources/source.ts';

export interface ChallengeRequest {
  sourceId: string;
  sender: Sender;
  /** Parsed; a parameter that came twice is a list. */
  query: Readonly<Record<string, unknown>>;
}

/**
 * Answers a provider's GET that asks whether the address is its owner's (W3C WebSub, section 5.3; Meta's webhooks): the `hub.challenge`
 * that it sent, where `hub.verify_token` is the one that the source has. To a source without a verify token there is no GET.
 */
export async function answerChallenge(
  sources: Pick<SourceDirectory, 'known' | 'lookUp' | 'recent'>,
  { sourceId, sender, query }: ChallengeRequest,
): Promise<Outcome> {
  const source = await findSource(sources, sourceId);
  if ('kind' in source) return source;
  if (source.verifyToken === undefined) return { kind: 'refused', code: 'method_not_allowed', source };
  const senderRefusal = source.senderGate(sender);
  if (senderRefusal !== undefined) return { kind: 'refused', code: senderRefusal, source };
  const { 'hub.mode': mode, 'hub.challenge': challenge, 'hub.verify_token': token } = query;
  if (mode !== 'subscribe' || typeof challenge !== 'string' || challenge === '') {
    return { kind: 'refused', code: 'validation_failed', source };
  }
  if (typeof token !== 'string' || !isSame(token, source.verifyToken)) {
    return { kind: 'refused', code: 'verify_token_invalid', source };
  }
  return { kind: 'challenge', source, challenge };
}

/** For the header Allow; of a source that is not known, what holds for most. */
export const allowedMethods = (source: Source | undefined): string =>
  source?.state === 'active' && source.verifyToken !== undefined ? 'GET, HEAD, POST' : 'POST';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** In constant time for the content and the length. */
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

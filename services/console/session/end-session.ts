import type { ApiFailure } from '#client';
import type { PublicContext } from '../page.ts';

/**
 * Ends the session of whoever asks, if there is one. Nobody may be told to be signed out while the token still works.
 *
 * @returns why it may still work; undefined: nobody is signed in any more
 */
export async function endSession({
  findSession,
  actions,
}: Pick<PublicContext, 'findSession' | 'actions'>): Promise<ApiFailure | undefined> {
  const found = await findSession();
  switch (found.kind) {
    case 'found':
      return actions.signOut(found.session);
    case 'failed':
      return found.failure;
    case 'none':
      return undefined;
  }
}

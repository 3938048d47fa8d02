import { problem, seeOther } from '../../page-result.ts';
import { publicPage } from '../../page.ts';
import { noSessionCookie } from '../../session/session-cookie.ts';

/** `POST /session/end`: ends the session at the API, and has the browser forget it and what it showed. */
export const signOut = publicPage({
  path: '/session/end',
  title: 'Sign out',
  post: {
    async answer({ base, isSecure, findSession, actions }) {
      const forget = { 'clear-site-data': '"cache", "cookies"', 'set-cookie': noSessionCookie(isSecure) };
      const found = await findSession();
      const failure =
        found.kind === 'found'
          ? await actions.signOut(found.session)
          : found.kind === 'failed'
            ? found.failure
            : undefined;
      // Nobody is told to be signed out while the token still works.
      if (failure !== undefined)
        return problem(503, {
          explanation: 'The session could not be ended, because the API does not answer. You are still signed in.',
          retryAfterSeconds: 5,
        });
      return seeOther(`${base}/`, forget);
    },
  },
});

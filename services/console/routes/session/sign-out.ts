import { problem, seeOther } from '../../page-result.ts';
import { publicPage } from '../../page.ts';
import { endSession } from '../../session/end-session.ts';
import { noSessionCookie } from '../../session/session-cookie.ts';

/** `POST /session/end`: ends the session at the API, and has the browser forget it and what it showed. */
export const signOut = publicPage({
  path: '/session/end',
  title: 'Sign out',
  post: {
    async answer({ base, isSecure, findSession, actions }) {
      const forget = {
        'clear-site-data': '"cache", "cookies"',
        'set-cookie': noSessionCookie({ face: 'console', isSecure }),
      };
      if ((await endSession({ findSession, actions })) !== undefined)
        return problem(503, {
          explanation: 'The session could not be ended, because the API does not answer. You are still signed in.',
          retryAfterSeconds: 5,
        });
      return seeOther(`${base}/`, forget);
    },
  },
});

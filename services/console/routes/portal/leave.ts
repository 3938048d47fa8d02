import { problem, seeOther } from '../../page-result.ts';
import { publicPage } from '../../page.ts';
import { portalBase } from '../../pages/portal/frame.ts';
import { endSession } from '../../session/end-session.ts';
import { noSessionCookie } from '../../session/session-cookie.ts';

/** `POST /portal/session/end`: ends the session at the API. The page that follows leads back to where the customer came from. */
export const leavePortal = publicPage({
  path: '/portal/session/end',
  title: 'Leave',
  face: 'portal',
  post: {
    async answer({ base, isSecure, isEmbeddable: isEmbedded, findSession, actions }) {
      if ((await endSession({ findSession, actions })) !== undefined)
        return problem(503, {
          explanation: 'You could not be signed out. Try again in a few seconds.',
          retryAfterSeconds: 5,
        });
      return seeOther(portalBase(base), {
        'clear-site-data': '"cache"',
        'set-cookie': noSessionCookie({ face: 'portal', isSecure, isEmbedded }),
      });
    },
  },
});

import { page, type PageResult, problem, seeOther } from '../../page-result.ts';
import { publicPage } from '../../page.ts';
import { linkPage, notKept } from '../../pages/portal/link-page.ts';
import { portalBase } from '../../pages/portal/frame.ts';
import { problemOfFailure } from '../../problem-of-failure.ts';
import { probeCookie } from '../../session/probe-cookie.ts';
import { returnCookie } from '../../session/return-cookie.ts';
import { sessionCookie } from '../../session/session-cookie.ts';

/** As the API makes them; whether one is good, it alone can tell. */
const code = /^hp_\w{1,190}$/;

const gone = 'This link was used already, has ended, or was revoked. Get another one where you got this one.';

/** `/p/:code`: looking at a link does not use it up, and tells what it is: 404 for none, 410 for one that is over. */
export const portalLink = publicPage({
  path: '/p/:code',
  title: 'Your webhooks',
  face: 'portal',
  get: {
    async answer({ base, params, actions, frame }) {
      if (!code.test(params.code)) return problem(404);
      const looked = await actions.lookAtLink(params.code);
      if ('kind' in looked) return problem(429, { retryAfterSeconds: looked.retryAfterSeconds });
      return looked.ok
        ? page({ ...linkPage(`${base}/p/${params.code}`), ...(frame && { headers: { 'set-cookie': probeCookie } }) })
        : refusal(problemOfFailure(looked.failure));
    },
  },
  post: {
    async answer({ base, params, actions, isSecure, isEmbeddable: isEmbedded, frame }) {
      if (!code.test(params.code)) return problem(404);
      if (frame?.keepsCookies === false) return page({ ...notKept(`${base}/p/${params.code}`), status: 409 });
      const redeemed = await actions.redeemLink(params.code);
      switch (redeemed.kind) {
        case 'limited':
          return problem(429, { retryAfterSeconds: redeemed.retryAfterSeconds });
        case 'failed':
          return refusal(problemOfFailure(redeemed.failure));
        case 'signed_in':
          return seeOther(portalBase(base), {
            'set-cookie': [
              sessionCookie(redeemed.token, { face: 'portal', isSecure, isEmbedded }),
              returnCookie(redeemed.returnUrl, { isSecure, isEmbedded }),
            ],
          });
      }
    },
  },
});

const refusal = (result: PageResult): PageResult =>
  result.kind === 'problem' && result.status === 410 ? problem(410, { explanation: gone }) : result;

import { ownPath } from '#lib/html';
import { setCookie } from '../../http/cookies.ts';
import { themeCookie } from '../../http/request-state.ts';
import { seeOther } from '../../page-result.ts';
import { publicPage } from '../../page.ts';

const yearSeconds = 365 * 24 * 3_600;

/** `POST /theme`: the server sets the theme, so that no page flashes in the other one. */
export const theme = publicPage({
  path: '/theme',
  title: 'Theme',
  post: {
    answer({ base, form, isSecure, isEmbeddable: isEmbedded }) {
      const chosen = form.get('theme');
      const isChosen = chosen === 'light' || chosen === 'dark';
      const cookie = setCookie(themeCookie, isChosen ? chosen : '', {
        isSecure,
        isEmbedded,
        maxAgeSeconds: isChosen ? yearSeconds : 0,
      });
      return seeOther(ownPath(form.get('to') ?? undefined, base) ?? `${base}/`, { 'set-cookie': cookie });
    },
  },
});

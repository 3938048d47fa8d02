import { page } from '../../page-result.ts';
import { publicPage } from '../../page.ts';
import { startPage } from '../../pages/start-page.ts';
import { problemOfFailure } from '../../problem-of-failure.ts';

/** `/`: signing in, or where to go on. */
export const start = publicPage({
  path: '/',
  title: 'Hookline',
  get: {
    async answer({ base, findSession }) {
      const found = await findSession();
      switch (found.kind) {
        case 'found':
          return page(startPage(base, found.session));
        case 'failed':
          return problemOfFailure(found.failure);
        case 'none':
          return { kind: 'sign_in', status: 200 };
      }
    },
  },
});

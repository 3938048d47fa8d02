import { page, problem } from '../../page-result.ts';
import { portalPage } from '../../page.ts';
import { languages, verifyPage } from '../../pages/catalog/verify-page.ts';

/** `/portal/verify/:language`: how to verify a request. */
export const portalVerify = portalPage({
  path: '/verify/:language',
  title: 'Verify signatures',
  section: 'overview',
  get: {
    capability: 'view',
    answer({ params }) {
      const language = Object.hasOwn(languages, params.language) ? languages[params.language] : undefined;
      if (language === undefined) return problem(404);
      return page({ title: `Verify signatures in ${language.name}`, body: verifyPage(language) });
    },
  },
});

import { page, problem } from '../../page-result.ts';
import { catalogPage } from '../../page.ts';
import { languages, verifyPage } from '../../pages/catalog/verify-page.ts';

/** It asks nothing of the API: how to verify can be read whatever is away. */
export const verify = catalogPage({
  path: '/catalog/verify/:language',
  title: 'Verify signatures',
  answer({ params }) {
    const language = Object.hasOwn(languages, params.language) ? languages[params.language] : undefined;
    if (language === undefined) return problem(404);
    return page({
      title: `Verify signatures in ${language.name}`,
      // The same words for every installation of Hookline.
      indexing: { canonical: `/catalog/verify/${params.language}`, isIndexed: false },
      body: verifyPage(language),
    });
  },
});

import { problem, seeOther } from '../../page-result.ts';
import { tenantPage } from '../../page.ts';
import { candidatesPage, nothingPage, tooShortPage } from '../../pages/jump-page.ts';
import { findById, findByText } from './find-targets.ts';

const shortest = 3;
const longest = 300;

/** `T/jump?q=`: goes to whatever has that id, or shows what the text may be. */
export const jump = tenantPage({
  path: '/jump',
  title: 'Search',
  get: {
    query: ['q'],
    async answer({ api, query, t }) {
      const text = (query.get('q') ?? '').trim();
      if (text.length < shortest) return tooShortPage(t, text);
      if (text.length > longest) return nothingPage(t, text.slice(0, longest));
      const one = await findById(api, text);
      if (one === 'gone') return problem(410);
      if (one !== undefined) return seeOther(t + one.href);
      const found = await findByText(api, text);
      const [target] = found.targets;
      if (found.targets.length === 1 && target !== undefined) return seeOther(t + target.href);
      return target === undefined && found.unfinished.length === 0
        ? nothingPage(t, text)
        : candidatesPage(t, text, found);
    },
  },
});

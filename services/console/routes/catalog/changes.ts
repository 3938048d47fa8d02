import { html } from '#lib/html';
import { withQuery } from '../../api-calls/paths.ts';
import { countWords } from '../../catalog/count-words.ts';
import { page, problem } from '../../page-result.ts';
import { catalogPage } from '../../page.ts';
import { changeList } from '../../pages/catalog/change-list.ts';
import { pager } from '../../parts/pager.ts';

/** `/catalog/changes`: what became of the types, newest first. */
export const changes = catalogPage({
  path: '/catalog/changes',
  title: 'Changes',
  query: ['cursor'],
  async answer({ catalog, query, base }) {
    const cursor = query.get('cursor') ?? undefined;
    const listed = await catalog.changes(cursor);
    if (listed === undefined) return problem(cursor === undefined ? 404 : 400);
    if (listed.changes.length === 0) return problem(404, { explanation: 'There are no changes.' });
    const live = new Set((await catalog.types()).map(({ name }) => name));
    const next = listed.next === undefined ? undefined : new URLSearchParams({ cursor: listed.next });
    return page({
      title: 'Changes',
      crumbs: [{ label: 'Event types', href: `${base}/catalog` }],
      indexing: {
        canonical: withQuery('/catalog/changes', { cursor }),
        isIndexed: cursor === undefined && countWords(wordsOf(listed.changes)) >= catalog.thinWords,
      },
      body: html`${changeList(listed.changes, { live, base })}
${pager({ href: `${base}/catalog/changes`, next, prev: undefined, words: { prev: 'Newer', next: 'Older' } })}`,
    });
  },
});

export const wordsOf = (listed: readonly { notes: string | null }[]): readonly string[] =>
  listed.map(({ notes }) => notes ?? '');

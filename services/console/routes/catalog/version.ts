import { typePath, versionOf, versionPath } from '../../catalog/addresses.ts';
import { countWords } from '../../catalog/count-words.ts';
import { catalogLinks } from '../../catalog/type-links.ts';
import { page, problem } from '../../page-result.ts';
import { catalogPage } from '../../page.ts';
import { versionPage } from '../../pages/catalog/version-page.ts';
import { answerElsewhere, findType } from './find-type.ts';

/** `/catalog/{type}/v/{n}` */
export const version = catalogPage({
  path: '/catalog/:type/v/:version',
  title: 'Version',
  query: ['name'],
  async answer({ catalog, params, query, base }) {
    const number = versionOf(params.version);
    if (number === undefined) return problem(404);
    const found = await findType(catalog, { params, query });
    if (found.kind === 'gone' || found.kind === 'missing') return answerElsewhere(found.kind);
    const target = found.kind === 'found' ? found : await catalog.type(found.to);
    if (target.kind !== 'found') return answerElsewhere(target.kind === 'gone' ? 'gone' : 'missing');
    const { value } = target;
    // A merged type has no versions of its own any more: its page is that of the other type.
    if (found.kind === 'moved' && found.by === 'merged') return answerElsewhere('moved', typePath(value.name));
    const shown = await catalog.version(value, number);
    if (shown === undefined) return problem(404);
    if (found.kind === 'moved') return answerElsewhere('moved', versionPath(value.name, number));
    const texts = [value.description, shown.notes, ...(shown.fields ?? []).map(({ description }) => description)];
    return page({
      title: `${value.name}, version ${number}`,
      crumbs: [
        { label: 'Event types', href: `${base}/catalog` },
        { label: value.name, href: base + typePath(value.name) },
      ],
      indexing: { canonical: typePath(value.name), isIndexed: countWords(texts) >= catalog.thinWords },
      body: versionPage(value, shown, catalogLinks(base)),
    });
  },
});

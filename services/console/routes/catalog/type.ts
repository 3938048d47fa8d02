import { page } from '../../page-result.ts';
import { catalogPage } from '../../page.ts';
import { typePage } from '../../pages/catalog/type-page.ts';
import { typePath } from '../../catalog/addresses.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { answerElsewhere, findType } from './find-type.ts';

/** `/catalog/{type}` */
export const type = catalogPage({
  path: '/catalog/:type',
  title: 'Event type',
  query: ['name'],
  async answer({ catalog, params, query, base, origin }) {
    const found = await findType(catalog, { params, query });
    if (found.kind === 'moved') return answerElsewhere('moved', typePath(found.to));
    if (found.kind !== 'found') return answerElsewhere(found.kind);
    const { value } = found;
    return page({
      title: value.name,
      crumbs: [{ label: 'Event types', href: `${base}/catalog` }],
      indexing: { canonical: typePath(value.name), isIndexed: value.words >= catalog.thinWords },
      body: typePage({
        type: value,
        successor: await successorOf(catalog, value.deprecation?.successor),
        base,
        origin,
      }),
    });
  },
});

async function successorOf(catalog: Catalog, name: string | null | undefined): Promise<string | undefined> {
  if (name === null || name === undefined) return undefined;
  const found = await catalog.type(name);
  if (found.kind === 'moved') return found.to;
  return found.kind === 'found' ? found.value.name : undefined;
}

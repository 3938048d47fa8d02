import { typePath } from '../../catalog/addresses.ts';
import type { Version } from '../../catalog/catalog.ts';
import { documentOf, problem } from '../../page-result.ts';
import { catalogPage } from '../../page.ts';
import { indentedJson } from '../../parts/indented-json.ts';
import { answerElsewhere, findType } from './find-type.ts';

/** A part of the newest version, for programs. */
const jsonOf = <const Path extends `/catalog/:type/${string}`>(
  path: Path,
  contentType: string,
  /** Undefined: it has none. */
  textOf: (version: Version) => string | undefined,
) =>
  catalogPage({
    path,
    title: path.slice(path.lastIndexOf('/') + 1),
    isDocument: true,
    query: ['name'],
    async answer({ catalog, params, query }) {
      const found = await findType(catalog, { params: params as { type: string }, query });
      if (found.kind === 'gone' || found.kind === 'missing') return answerElsewhere(found.kind);
      const target = found.kind === 'found' ? found : await catalog.type(found.to);
      if (target.kind !== 'found') return answerElsewhere(target.kind === 'gone' ? 'gone' : 'missing');
      const { name, newest } = target.value;
      if (newest === null) return problem(404, { explanation: 'Its payload is not described' });
      if (found.kind === 'moved') return answerElsewhere('moved', typePath(name, path.slice(path.lastIndexOf('/'))));
      const text = textOf(newest);
      if (text === undefined) return problem(404, { explanation: 'It has no example' });
      return documentOf(contentType, `${indentedJson(text)}\n`);
    },
  });

export const schemaJson = jsonOf(
  '/catalog/:type/schema.json',
  'application/schema+json; charset=utf-8',
  ({ schemaText }) => schemaText,
);
export const exampleJson = jsonOf(
  '/catalog/:type/example.json',
  'application/json; charset=utf-8',
  ({ example, exampleText }) => (example === null ? undefined : exampleText),
);

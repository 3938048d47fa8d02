import { readTime, timeForms } from '../../options/read-time.ts';
import { omitAbsent } from '../../options/read-values.ts';
import { list, text, type Values } from '../../verb.ts';

/** The filters of events. */
export const filterOptions = {
  type: text('NAME', 'events of this type'),
  status: text('NAME', 'received, processing, completed or dead_lettered'),
  source: text('ID', 'events of this source'),
  tag: list('NAME:VALUE', 'events with this tag'),
  since: text('TIME', `changed at this time or later: ${timeForms}`),
};

/** The API's parameters; a list is one that is repeated. */
export type Query = Readonly<Record<string, string | readonly string[]>>;

/** @returns `since`: RFC 3339 */
export const filterOf = (
  values: Values<typeof filterOptions>,
  nowMs: number,
): { query: Query; since: string | undefined } => ({
  query: {
    ...omitAbsent({ type: values.type, status: values.status, source_id: values.source }),
    ...(values.tag !== undefined && { tag: values.tag }),
  },
  since: readTime('since', values.since, nowMs),
});

export const queryString = (query: Query): string =>
  new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => [value].flat().map((each): [string, string] => [name, each])),
  ).toString();

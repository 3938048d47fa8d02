/** Compares code token by token: white space, comments, the kind of quotes and trailing commas make no difference. */
import type { Declaration } from './declarations.ts';
import { syntaxOf, walk } from './syntax.ts';

export interface Match extends Span {
  /** The text of each hole, by its name without the `$`. */
  holes: Readonly<Record<string, string>>;
}

interface Span {
  start: number;
  end: number;
}

interface Token extends Span {
  text: string;
}

const quotes = new Set(['"', "'", '`']);
const closing = new Set([')', ']', '}']);

const hole = /^\$([a-z]\w*)$/i;

/** Each place where the pattern stands in the declaration; with `isMeant`, only as all of such a span. */
export function matchesOf(
  pattern: string,
  { file, start, end, node }: Declaration,
  text: string,
  isMeant: (start: number, end: number) => boolean = () => true,
): Match[] {
  const wanted = tokensOf(pattern);
  const syntax = node && syntaxOf(file, text);
  const tokens = tokensOf(text, start, end, syntax?.comments);
  const indexOfEnd = new Map(tokens.map((token, index) => [token.end, index]));
  const endsFrom = new Map<number, Set<number>>();
  if (node !== undefined)
    walk(node, ({ start: from, end: to }) => endsFrom.set(from, (endsFrom.get(from) ?? new Set()).add(to)));

  const found = tokens.flatMap(({ start: from }, index) => {
    const rest = matchFrom(index, 0, {}, from);
    return rest === undefined ? [] : [{ start: from, ...rest }];
  });
  // A hole at the beginning also matches the end of what it stands for.
  return found.filter((match) => !found.some((other) => other.start < match.start && other.end >= match.end));

  function matchFrom(index: number, at: number, holes: Match['holes'], from: number): Omit<Match, 'start'> | undefined {
    const [want, token] = [wanted[at], tokens[index]];
    if (want === undefined) {
      const to = tokens[index - 1]?.end ?? end;
      return isMeant(from, to) ? { end: to, holes } : undefined;
    }
    if (token === undefined) return undefined;
    const name = hole.exec(want.text)?.[1];
    if (name === undefined) return token.text === want.text ? matchFrom(index + 1, at + 1, holes, from) : undefined;
    for (const last of lastTokensFrom(token, index)) {
      const held = text.slice(token.start, tokens[last]?.end);
      const before = holes[name];
      if (before !== undefined && !sameCode(before, held)) continue;
      const rest = matchFrom(last + 1, at + 1, { ...holes, [name]: held }, from);
      if (rest !== undefined) return rest;
    }
    return undefined;
  }

  /** An expression that begins here, the longest first, or a word of SQL. */
  function lastTokensFrom(token: Token, index: number): number[] {
    const ends = [...(endsFrom.get(token.start) ?? [])].sort((a, b) => b - a);
    const lasts = ends.flatMap((each) => indexOfEnd.get(each) ?? []);
    return lasts.length === 0 && /^[\p{L}\p{N}_$]/u.test(token.text) ? [index] : lasts;
  }
}

/**
 * Code with the text of each hole in its place.
 *
 * @throws Error for a hole that the pattern does not have
 */
export const fillHoles = (code: string, holes: Match['holes']): string =>
  code.replace(/\$([a-z]\w*)/gi, (written, name: string) => {
    const held = holes[name];
    if (held === undefined) throw new Error(`no pattern of it has ${written}`);
    return held;
  });

export const sameCode = (a: string, b: string): boolean => wordsOf(a) === wordsOf(b);

const wordsOf = (code: string): string =>
  tokensOf(code)
    .map(({ text }) => text)
    .join(' ');

function tokensOf(text: string, from = 0, to = text.length, comments: readonly Span[] = []): Token[] {
  return [...text.slice(from, to).matchAll(/[\p{L}\p{N}_$#]+|\S/gu)]
    .map((match) => ({
      text: quotes.has(match[0]) ? "'" : match[0],
      start: from + match.index,
      end: from + match.index + match[0].length,
    }))
    .filter((token) => !comments.some(({ start, end }) => token.start >= start && token.end <= end))
    .filter(({ text: word }, index, all) => word !== ',' || !closing.has(all[index + 1]?.text ?? ''));
}

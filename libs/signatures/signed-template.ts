/**
 * The template of the text that the scheme `hmac` signs:
 *
 *   signed = item *( joint item )
 *   item   = "id" / "timestamp" / "url" / "body" / literal
 *   joint  = "." / ":" / "|" / "," / ";" / "/" / "_" / "-" / LF   literally
 *          / "+"                                                 nothing
 *   literal = 1*( ALPHA / DIGIT )                                literally
 *
 * Exactly one `body`, each other item at most once, at most 100 characters: `body`, `timestamp.body`, `v0:timestamp:body`,
 * `id.timestamp.body`, `url+body`, `timestamp+url+body`.
 */

const parts = ['id', 'timestamp', 'url', 'body'] as const;
type SignedPart = (typeof parts)[number];

export interface SignedTemplate {
  has(part: SignedPart): boolean;
  /** The text before the body and after it, with the values filled in. */
  fill(values: Readonly<Record<Exclude<SignedPart, 'body'>, string>>): { before: string; after: string };
}

type Piece = { part: SignedPart } | { text: string };

const joints = /([.:|,;/_\n+-])/;
const maxLength = 100;

export function parseSignedTemplate(template: string): SignedTemplate | undefined {
  if (template.length > maxLength) return undefined;
  // Split by a group, the joints are at the odd places.
  const tokens = template.split(joints);
  const items = tokens.filter((_token, place) => place % 2 === 0);
  if (!items.every((item) => /^[A-Za-z0-9]+$/.test(item) && !isMisspelled(item))) return undefined;
  const used = items.filter(isPart);
  if (new Set(used).size < used.length || !used.includes('body')) return undefined;
  const pieces = tokens.map((token): Piece => (isPart(token) ? { part: token } : { text: token === '+' ? '' : token }));
  const bodyAt = pieces.findIndex((piece) => 'part' in piece && piece.part === 'body');
  return {
    has: (part) => used.includes(part),
    fill(values) {
      const join = (some: readonly Piece[]): string =>
        some.map((piece) => ('text' in piece ? piece.text : piece.part === 'body' ? '' : values[piece.part])).join('');
      return { before: join(pieces.slice(0, bodyAt)), after: join(pieces.slice(bodyAt + 1)) };
    },
  };
}

const isPart = (item: string): item is SignedPart => parts.some((part) => part === item);

/** `Body` would be a text that is the same in every request: nothing of the webhook would be signed. */
const isMisspelled = (item: string): boolean => !isPart(item) && isPart(item.toLowerCase());

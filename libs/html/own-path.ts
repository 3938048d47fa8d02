/** A browser reads a backslash as a slash, and leaves out tabs and newlines: `/\evil.example` and `/\t/evil.example` lead away. */
const leadsAway = /^\/\/|[\\\p{Cc}]/u;

/**
 * The text if it is a path of our own site, below the base; undefined for an address elsewhere, however it is written. Redirects lead to such paths
 * alone.
 */
export function ownPath(text: string | undefined, base: string): string | undefined {
  if (text === undefined || !text.startsWith(`${base}/`) || leadsAway.test(text)) return undefined;
  const here = 'https://here.invalid';
  if (!URL.canParse(text, here)) return undefined;
  const { origin, pathname, search } = new URL(text, here);
  // `/..//evil.example` has its two slashes only when its dots are resolved.
  return origin === here && pathname.startsWith(`${base}/`) && !pathname.includes('//') ? pathname + search : undefined;
}

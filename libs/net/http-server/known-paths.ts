import findMyWay from 'find-my-way';

/** The paths that a server knows, by their patterns, each with what is kept for it. */
interface KnownPaths<Kept> {
  add(pattern: string, kept: Kept): void;
  /** @param url a request's, with or without its query */
  find(url: string): Kept | undefined;
}

/**
 * Fastify's own router a second time, for methods that no route has: whether their path is known decides between 405 and 404. A route for
 * every path and each of Node's methods would be a hundred times as many, and most of what a server's start costs.
 */
export function createKnownPaths<Kept>(): KnownPaths<Kept> {
  const router = findMyWay({ maxParamLength: 16_384 });
  return {
    add: (pattern, kept) => void router.on('GET', pattern, () => undefined, kept),
    find: (url) => router.find('GET', url.split('?', 1)[0] ?? '')?.store as Kept | undefined,
  };
}

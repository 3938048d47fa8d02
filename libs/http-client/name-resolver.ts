/**
 * Resolves names without blocking a thread. `getaddrinfo` blocks one of the process's few threads as long as a name's servers don't answer:
 * four such names stop all other look-ups, and all other work that needs a thread. Here a slow name costs one timer, and fails within the
 * time limit.
 *
 * `getaddrinfo` is still used if the name servers don't know a name, or there are none: it may be in the hosts file, or below a search
 * domain. Only two such look-ups run at once; a request that waits too long for one fails alone.
 */
import { lookup as systemLookup, Resolver } from 'node:dns/promises';
import type { Clock } from '#lib/runtime';
import { timedOut } from './send-failure.ts';
import type { Resolve } from './vet-host.ts';

interface Options {
  clock: Clock;
  /** `getaddrinfo`. */
  resolveBySystem: Resolve;
  /** Name servers instead of the system's, as `address:port`. */
  servers?: readonly string[];
}

/** Twice: 0.7 s, then 1.4 s. */
const askTimeoutMs = 700;
const asks = 2;
/** The limit for all name servers together. */
const limitMs = 2_500;
const maxSystemQuestions = 2;

export const resolveBySystem: Resolve = async (hostname) =>
  (await systemLookup(hostname, { all: true, order: 'verbatim' })).map(({ address }) => address);

export function createNameResolver({ clock, resolveBySystem, servers }: Options): Resolve {
  const resolver = new Resolver({ timeout: askTimeoutMs, tries: asks });
  if (servers !== undefined) resolver.setServers(servers);
  const bySystem = limited(maxSystemQuestions, resolveBySystem);

  async function ask(hostname: string, unwanted: AbortSignal): Promise<readonly string[]> {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as Error] : []));
    // One that did not answer may know the name: the system would ask it again, and wait for it on a thread.
    const slow = errors.find((error) => !isAnsweredAtOnce(error));
    if (slow !== undefined) throw slow;
    return bySystem(hostname, unwanted);
  }

  return async (hostname) => {
    const ended = new AbortController();
    const { promise: late, reject } = Promise.withResolvers<never>();
    const stopLimit = clock.startLimit(limitMs, () => reject(timedOut('dns', limitMs)));
    try {
      return await Promise.race([ask(hostname, ended.signal), late]);
    } finally {
      stopLimit();
      ended.abort();
    }
  };
}

const isAnsweredAtOnce = (error: Error): boolean =>
  ['ENOTFOUND', 'ENODATA', 'ENOENT', 'ECONNREFUSED'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Limits the queries at once; others wait for their turn, and are skipped if nobody waits for the answer any more. */
function limited(
  most: number,
  resolve: Resolve,
): (hostname: string, unwanted: AbortSignal) => Promise<readonly string[]> {
  const waiting: (() => void)[] = [];
  let underWay = 0;
  return async (hostname, unwanted) => {
    while (underWay >= most) await new Promise<void>((begin) => waiting.push(begin));
    underWay += 1;
    try {
      return unwanted.aborted ? [] : await resolve(hostname);
    } finally {
      underWay -= 1;
      waiting.shift()?.();
    }
  };
}

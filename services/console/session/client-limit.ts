import { clientOf } from '#lib/net';
import type { Clock } from '#lib/runtime';

const windowMs = 60_000;
/** Above it, the client whose window began first is forgotten. */
const maxClients = 10_000;

/** Tries to sign in or to redeem a link, a minute and client. */
export const signInsPerMinute = 10;
/** Looks at links to the portal, which take nothing from the tries: scanners and previews look, too. */
export const looksPerMinute = 60;

/**
 * At most so many a minute and client, in this process. Clients are told apart by their address, IPv6 by its /64.
 *
 * @returns a function of the client's address: 0, or the seconds until the next one is allowed
 */
export function createClientLimit(clock: Clock, perWindow: number): (address: string) => number {
  const windows = new Map<string, { count: number; endsAtMs: number }>();
  return (address) => {
    const client = clientOf(address);
    const nowMs = clock.monotonicMs();
    const running = windows.get(client);
    if (running !== undefined && running.endsAtMs > nowMs) {
      if (running.count >= perWindow) return Math.ceil((running.endsAtMs - nowMs) / 1_000);
      running.count += 1;
      return 0;
    }
    // Put last: the order of the map is that of the windows' ends.
    windows.delete(client);
    windows.set(client, { count: 1, endsAtMs: nowMs + windowMs });
    const [oldest] = windows.keys();
    if (oldest !== undefined && windows.size > maxClients) windows.delete(oldest);
    return 0;
  };
}

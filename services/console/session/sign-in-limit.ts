import type { Clock } from '#lib/clock';

interface Window {
  count: number;
  endsAtMs: number;
}

const perWindow = 10;
const windowMs = 60_000;
/** Above it, the address whose window began first is forgotten. */
const maxAddresses = 10_000;

/** At most ten attempts to sign in a minute and address, in this process. @returns 0, or the seconds until the next one is allowed */
export function createSignInLimit(clock: Clock): (address: string) => number {
  const windows = new Map<string, Window>();
  return (address) => {
    const nowMs = clock.monotonicMs();
    const running = windows.get(address);
    if (running !== undefined && running.endsAtMs > nowMs) {
      if (running.count >= perWindow) return Math.ceil((running.endsAtMs - nowMs) / 1_000);
      running.count += 1;
      return 0;
    }
    // Put last: the order of the map is that of the windows' ends.
    windows.delete(address);
    windows.set(address, { count: 1, endsAtMs: nowMs + windowMs });
    const [oldest] = windows.keys();
    if (oldest !== undefined && windows.size > maxAddresses) windows.delete(oldest);
    return 0;
  };
}

/** One of the things that a tenant does to all others with no more than its own key. */
import type { TenantClient } from './tenant-client.ts';

export interface Attack {
  name: string;
  /** A description for the report. */
  says: string;
  /** Before anything is measured: what the attack needs to stand there. */
  prepare(attacker: Attacker): Promise<void>;
  /** One round; it is begun again as soon as it has ended, for as long as the phase lasts. A refusal is no failure. */
  round(attacker: Attacker): Promise<void>;
}

/** The attacker's means. */
export interface Attacker {
  client: TenantClient;
  /**
   * The URL of an endpoint; a name that begins with `slow` is answered 200 after `slowMs`, one with `refuses` 500, all others 200 at once.
   */
  receiverUrl(name: string): string;
  /** How wide, how many: what the attack has in numbers is multiplied by it, to fit the machine. */
  times(count: number): number;
  /** Aborts at the end of the phase. */
  signal: AbortSignal;
  pause(ms: number): Promise<void>;
}

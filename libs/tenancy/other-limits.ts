import type { LimitUnit, Used } from './limit-table.ts';

/**
 * A rate or limit that clients can meet, other than a tenant's number (limit-table.ts) or share (share-table.ts). Each service has a table of
 * its own (`limits.ts`); docs/tenancy.md is generated from all of them.
 */
export interface OtherLimit {
  /** To whom it applies: "each API key". */
  whose: string;
  /** Null: there is none by default. */
  usual: number | null;
  unit: LimitUnit;
  /** The things counted, as they read after the number. */
  counts: string;
  used?: Used;
  /** The behaviour at the limit, for the user who meets it. */
  atLimit: string;
  /** The setting that raises it, or who does. */
  raisedBy: string;
}

export type OtherLimits = Readonly<Record<string, OtherLimit>>;

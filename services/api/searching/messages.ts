/** Messages between the API and its searching thread. */
import type { PostgresAccess } from '#lib/postgres';
import type { AppErrorCode } from '#lib/runtime';
import type { SearchAsked, SearchLimits } from './search-payloads.ts';

export interface WorkerOptions {
  database: PostgresAccess;
  applicationName: string;
  maxConnections: number;
  limits: SearchLimits;
}

export type SearchRequest = { id: number } & (
  | {
      kind: 'search';
      asked: SearchAsked;
      /** Searches that the tenant may have at a time. */
      places: number;
    }
  /** Nobody waits for it any more: it is answered as `failed`. */
  | { kind: 'leave' }
);

export type SearchAnswer = { id: number } & (
  | { kind: 'found'; body: string }
  /** The tenant has a search under way. */
  | { kind: 'busy' }
  | { kind: 'failed'; code: AppErrorCode; message: string }
);

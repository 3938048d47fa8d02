/** The language between load.ts and its child process: whoever imports load-process.ts becomes that child. */
import type { Send } from '../../faults/checker/history.ts';

export interface LoadJob {
  /** A part of each webhook's name, unique to this load. */
  name: string;
  /** One of each kind of sender, in their order. */
  sources: readonly { id: string; secret: string; ingest_url: string }[];
  apiUrl: string;
  adminKey: string;
  perSecond: number;
  seconds: number;
  seed: number;
}

/** A webhook's request and its answer. */
export interface SentWebhook {
  /** The same for a repeat. */
  webhook: string;
  outcome: Send['outcome'];
  detail: string;
  receiptId: string | null;
  answeredAtMs: number;
  tookMs: number;
}

export interface Published {
  /** Null: it was not taken. */
  eventId: string | null;
  detail: string;
  answeredAtMs: number;
}

/**
 * @property lateMs how late the latest of them was sent
 * @property spentSeconds of processor time, since it was told its job
 */
export type LoadMessage = {
  sent: SentWebhook[];
  published: Published[];
  lateMs: number;
  spentSeconds: number;
  isOver: boolean;
};

export const repeatedShare = 0.2;
/** Beside webhooks, of as many. */
export const publishedShare = 0.05;

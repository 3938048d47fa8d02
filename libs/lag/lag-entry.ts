/** A tenant's lag at one stage: an entry in Redis, which its reporter renews and which expires by itself. */

/** Where lag is measured: dedup takes a webhook, the dispatcher takes a delivery, its endpoint has taken it. */
export const lagStages = ['received', 'dispatched', 'delivered'] as const;
export type LagStage = (typeof lagStages)[number];

export interface LagEntry {
  /** The age of the tenant's events at this stage, in milliseconds by the reporter's clock. */
  ageMs: number;
  /** When these events were received, in milliseconds since the epoch by the ingress's clock. */
  receivedAtMs: number;
  /** The tenant's part of all events at this stage, up to 1. */
  share: number;
}

export const lagKey = (prefix: string, stage: LagStage, tenant: string): string => `${prefix}lag:${stage}:${tenant}`;

export const formatLag = ({ ageMs, receivedAtMs, share }: LagEntry): string =>
  `${Math.round(ageMs)} ${Math.round(receivedAtMs)} ${share.toFixed(3)}`;

/** Undefined for what this version can't read. */
export function parseLag(text: string): LagEntry | undefined {
  const [ageMs = Number.NaN, receivedAtMs = Number.NaN, share = Number.NaN] = text.split(' ').map(Number);
  return [ageMs, receivedAtMs, share].every(Number.isFinite) ? { ageMs, receivedAtMs, share } : undefined;
}

/**
 * How much of its own work a tenant's events wait for, in milliseconds: behind a flood of others they are as old as the flood, and no tenant is to
 * be slowed down for that.
 *
 * Two clocks measure the age, and the smaller result counts. Where the host of a reporter is ahead, the ingress's own clock tells how old
 * what it has received is. Where that of an ingress is ahead, its events look young everywhere: it slows nobody down.
 *
 * @param nowMs of the ingress
 */
export const ownLagMs = ({ ageMs, receivedAtMs, share }: LagEntry, nowMs: number): number =>
  Math.max(0, Math.min(ageMs, nowMs - receivedAtMs) * share);

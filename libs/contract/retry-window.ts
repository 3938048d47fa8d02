import { endpointDefaults } from './settings.ts';

const day = 24 * 3600;
const maxDays = 14;

/** How long an endpoint may have deliveries retried: below what payloads are kept for, by the day that may pass before one is created. */
export const longestWindowSeconds = (payloadRetentionDays: number): number =>
  Math.min(maxDays, payloadRetentionDays - 1) * day;

/** The latest deadline that the pauses of an endpoint may move a delivery to, from its creation. */
export const longestLifeSeconds = (payloadRetentionDays: number): number => (payloadRetentionDays - 1) * day;

/** Payloads are kept for at least so long, so that the default window is allowed. */
export const shortestPayloadRetentionDays = Math.ceil(endpointDefaults.retry.window_seconds / day) + 1;

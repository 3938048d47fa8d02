const day = 24 * 3600;
const maxDays = 14;

/** How long an endpoint may have deliveries retried: below what payloads are kept for, by the day that may pass before one is created. */
export const longestWindowSeconds = (payloadRetentionDays: number): number =>
  Math.min(maxDays, payloadRetentionDays - 1) * day;

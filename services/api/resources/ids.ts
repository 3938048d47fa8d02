import type { IdPrefix } from '#lib/runtime';

/** The format of libs/runtime. Other texts are not looked up in the database. */
export const idPattern = (prefix: IdPrefix): RegExp => new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`);

/**
 * Clocks of hosts differ by less than this: the alert on clocks is at a second. A list by one clock, in the order of another one's times, looks
 * so far beyond its bounds.
 */
export const mostClockSkewMs = 300_000;

/**
 * Clocks of hosts differ by less than this: the alert on clocks is at a second. A list by one clock, in the order of another one's times, looks
 * so far beyond its bounds.
 */
export const mostClockSkewMs = 300_000;

import type { IdPrefix } from '#lib/ids';

/** The form of #lib/ids. What does not have it never was an id, and the database is not asked. */
export const idPattern = (prefix: IdPrefix): RegExp => new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`);

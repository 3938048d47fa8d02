import type { IdPrefix } from '#lib/ids';

/** The form of #lib/ids. Other texts never were ids, and the database is not asked. */
export const idPattern = (prefix: IdPrefix): RegExp => new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`);

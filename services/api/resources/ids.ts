import type { IdPrefix } from '#lib/ids';

/** The format of #lib/ids. Other texts are not looked up in the database. */
export const idPattern = (prefix: IdPrefix): RegExp => new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`);

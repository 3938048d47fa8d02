import { keys } from './keys.ts';
import { revokeKey } from './revoke.ts';
import { key } from './show.ts';

/** `T/keys`, and what is below it. */
export const keyPages = [keys, key, revokeKey];

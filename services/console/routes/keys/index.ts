import type { Page } from '../../page.ts';

/** `T/keys`, and what is below it. */
export const keyPages: readonly Page[] = [];

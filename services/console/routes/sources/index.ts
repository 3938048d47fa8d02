import type { Page } from '../../page.ts';

/** `T/sources`, and what is below it. */
export const sourcePages: readonly Page[] = [];

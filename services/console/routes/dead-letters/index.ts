import type { Page } from '../../page.ts';

/** `T/dead-letters`, and what is below it. */
export const deadLetterPages: readonly Page[] = [];

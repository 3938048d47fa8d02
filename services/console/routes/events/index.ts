import type { Page } from '../../page.ts';

/** `T/events`, and what is below it; `T/compare`. */
export const eventPages: readonly Page[] = [];

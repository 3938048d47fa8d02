import type { Page } from '../../page.ts';

/** `T/jump`: whatever has an id. */
export const jumpPages: readonly Page[] = [];

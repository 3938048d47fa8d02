import type { Page } from '../../page.ts';

/** `T/live/…`: rows for islands. */
export const livePages: readonly Page[] = [];

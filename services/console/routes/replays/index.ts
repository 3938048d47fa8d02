import type { Page } from '../../page.ts';

/** `T/replays`, and what is below it. */
export const replayPages: readonly Page[] = [];

import type { Page } from '../../page.ts';

/** `T/deliveries`, and what is below it. */
export const deliveryPages: readonly Page[] = [];

import type { Page } from '../../page.ts';

/** `T/sessions`: the sessions of a tenant. */
export const sessionPages: readonly Page[] = [];

import type { Page } from '../../page.ts';

/** `T/audit`. */
export const auditPages: readonly Page[] = [];

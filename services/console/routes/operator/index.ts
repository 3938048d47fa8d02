import type { Page } from '../../page.ts';

/** `/tenants` and `/system`. */
export const operatorPages: readonly Page[] = [];

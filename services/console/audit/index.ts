import { audit } from './pages.ts';

/** `T/audit`. */
export const auditPages = [audit];

import { audit } from './audit.ts';

/** `T/audit`. */
export const auditPages = [audit];

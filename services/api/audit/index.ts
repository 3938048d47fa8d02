export { type AuditedChange, auditRequests, maskedChanges } from './record-changes.ts';
export { auditRoutes } from './routes.ts';

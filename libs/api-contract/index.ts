export { type Capability, capabilities, type RouteScope, type Scope, scopes } from './access.ts';
export { type AuditAction, auditActions } from './audit-actions.ts';
export { audit, type AuditEntry, listAuditEntries } from './audit.ts';
export { dateTime, filterText } from './fields.ts';
export {
  type Answer,
  type AnswerHeader,
  type AnswerOf,
  type BodyOf,
  type Documentation,
  type Operation,
  type Parameter,
  type ParamsOf,
  type QueryOf,
  type Resource,
  type Tag,
} from './operation.ts';
export { pageQuery } from './paging.ts';
export * from './schema.ts';

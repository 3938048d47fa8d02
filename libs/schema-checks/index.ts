export { createDocumentJobs, type DocumentJobs, type Undone } from './documents/document-jobs.ts';
export { placed } from './documents/document-references.ts';
export { documentLimits } from './documents/limits.ts';
export { wordsIn } from './documents/prepare-schema.ts';
export { extension } from './documents/read-document.ts';
export type { ImportedText, ReadRequest } from './documents/read-request.ts';
export { createEnforcement, type Enforcement, type Validated, schemaTagOf } from './enforcement.ts';
export {
  type CheckLimits,
  createSchemaChecks,
  type SchemaChecks,
  usualCheckLimits,
  type Verdict,
} from './schema-checks.ts';

export { createEnforcement, type Enforcement, schemaTagOf } from './enforcement.ts';
export { type CheckLimits, createSchemaChecks, type SchemaChecks, type Verdict } from './schema-checks.ts';

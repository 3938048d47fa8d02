/**
 * Documents and schemas that are hard on whoever walks over them: wide, deep, shared, circular, chained. By numbers, for a case that is known; and by a
 * seed, for a run that looks for more (`hardDocument`).
 */
export { hardDocument, hardSchema, hardKinds } from './hard-documents.ts';
export { chained, circular, doubling, manyRefs, refsToProperties, sharing } from './shapes.ts';

/** Limits of a tenant's documents and schemas. Times are of a processor. What goes beyond one is refused, with the limit. */
export const documentLimits = {
  /** Levels of objects and lists in a request with a document or a schema. */
  levels: 100,
  /** Objects, lists and other values in it: GitHub's document has 120,000. */
  values: 500_000,
  /** Limits of the schemas of an import with all that they refer to: of each before it is made smaller, and of all together. */
  bundledBytes: 1024 * 1024,
  allBundledBytes: 32 * 1024 * 1024,
  /** Types of an import. */
  types: 1_000,
  /** Reading a request: a document of 16 MB takes one. */
  readMs: 5_000,
  /** Compiling a schema, checking its example, comparing it with the version before. */
  schemaMs: 2_000,
  /** All schemas of an import: GitHub's take 20 seconds. */
  importMs: 60_000,
  /** The thread's heap. */
  megabytes: 256,
} as const;

/** Fields of a version that are kept for its pages. */
export const maxPageFields = 500;
/** The longest of their texts. */
export const maxFieldText = 1_000;
/** All their texts together. */
export const maxFieldsLength = 64 * 1024;

export { applyEdits, readSources } from './apply-edits.ts';
export type { Edit, Sources } from './edit.ts';

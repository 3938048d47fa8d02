export { inRounds } from './in-rounds.ts';
export { repeat } from './repeat.ts';
export { type Part, createPart } from './part.ts';
export { type PartGroup, groupParts } from './part-group.ts';
export { type ProcessBody, runProcess } from './run-process.ts';

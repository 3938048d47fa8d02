export { inRounds } from './in-rounds.ts';
export { inTurns } from './in-turns.ts';
export { repeat } from './repeat.ts';
export { type Part, createPart } from './part.ts';
export { type PartGroup, groupParts } from './part-group.ts';
export { type ProcessBody, runProcess } from './run-process.ts';

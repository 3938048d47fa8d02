export { inRounds } from './in-rounds.ts';
export { type Part, createPart } from './part.ts';
export { type ServiceProcess, runService } from './run-service.ts';

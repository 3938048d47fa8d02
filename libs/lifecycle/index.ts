export { type Part, createPart } from './part.ts';
export { type ServiceProcess, runService } from './run-service.ts';

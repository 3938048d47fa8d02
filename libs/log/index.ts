export { createLogger, openLogOutput } from './log-output.ts';

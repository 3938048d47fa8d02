export { openLogOutput } from './log-output.ts';
export { type Logger, createLogger, silentLogger } from './logger.ts';

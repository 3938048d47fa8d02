export { type Logger, createLogger, silentLogger } from './logger.ts';

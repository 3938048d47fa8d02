export { AppError, type AppErrorCode, isAppError, toAppError } from './app-error.ts';

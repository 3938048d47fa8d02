export { createHttpServer } from './http-server.ts';
export { answerClientError } from './client-error.ts';

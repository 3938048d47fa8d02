export { type ClientTls, createClientTls } from './client-tls.ts';

export { createHttpServer } from './http-server.ts';
export { openMoreListeners, queueOfEach } from './shared-port.ts';
export { answerClientError } from './client-error.ts';
export { problemOfHead } from './head-problem.ts';
export { validateHostOurselves, ignoreExpectHeader } from './host-and-expect.ts';
export { clientCertificateOf } from './client-certificate.ts';
export { type TlsFiles, type TlsMaterial, readTlsFiles } from './tls-files.ts';
export { createTlsRenewal } from './tls-renewal.ts';
export { createKnownPaths } from './known-paths.ts';

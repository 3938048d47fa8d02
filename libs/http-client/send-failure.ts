/**
 * Says why there is no answer, in two texts. The detail is for the owner of the URL: it comes from this file's sentences alone, since the
 * system's own words hold addresses (`connect ECONNREFUSED 10.0.0.5:443`) and what our name servers know. Such words go to the operator.
 */
import type { HttpFailure } from './http-exchange.ts';

export type FailureOutcome = HttpFailure['outcome'];

export class SendFailure extends Error {
  readonly outcome: FailureOutcome;
  readonly operatorDetail: string | undefined;

  constructor(outcome: FailureOutcome, detail: string, operatorDetail?: string) {
    super(detail);
    this.name = 'SendFailure';
    this.outcome = outcome;
    this.operatorDetail = operatorDetail;
  }
}

/** The phase that a request was in when its time was up. */
export type Phase = 'queue' | 'dns' | 'connect' | 'proxy' | 'tls' | 'answer';

const lateAt: Record<Phase, string> = {
  queue: 'no connection was free',
  dns: 'the name was not looked up',
  connect: 'the connection was not established',
  proxy: 'the proxy did not answer',
  tls: 'the TLS handshake was not finished',
  answer: 'no answer',
};

export const timedOut = (phase: Phase, limitMs: number): SendFailure =>
  new SendFailure('timeout', `${lateAt[phase]} within ${limitMs} ms`);

export const notHttp = 'the answer is not HTTP';
export const tooLongHead = 'the answer’s head is too long';

const connectDetails: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed while the request was sent',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ENOTFOUND: 'the host was not found',
  ENODATA: 'the host has no address',
  UND_ERR_SOCKET: 'the connection was closed before an answer',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer’s body is not as long as it says',
  UND_ERR_HEADERS_OVERFLOW: tooLongHead,
  HPE_HEADER_OVERFLOW: tooLongHead,
  ERR_HTTP2_STREAM_ERROR: 'the stream was reset before an answer',
  ERR_HTTP2_STREAM_CANCEL: 'the stream was cancelled before an answer',
  ERR_HTTP2_SESSION_ERROR: 'the connection was ended with an error',
  ERR_HTTP2_ERROR: 'the server does not keep to HTTP/2',
  UND_ERR_INFO: 'the connection was ended before an answer',
};

const tlsDetails: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate’s chain ends in one that is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate’s issuer is not known: the server may send an incomplete chain',
  UNABLE_TO_GET_ISSUER_CERT: 'the certificate’s issuer is not known: the server may send an incomplete chain',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate’s issuer is not known: the server may send an incomplete chain',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not speak TLS',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the server does not speak TLS',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'the server asks for a client certificate',
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: 'the server refused the TLS handshake',
  ECONNRESET: 'the connection was closed during the TLS handshake',
};

/** Whether undici's parser of HTTP/1.1 gave up within the head, if that is all that has come. */
export function isParserError(error: unknown): boolean {
  const { name, code = '', message } = (error ?? {}) as NodeJS.ErrnoException;
  if (name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW') return true;
  // In place of the parser's error once it has seen a Content-Length; and its word for `100 Continue`, which we have not asked for.
  return code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' || (code === 'UND_ERR_SOCKET' && message === 'bad response');
}

export const isTooLong = (error: unknown): boolean =>
  detailOf('connect', (error as NodeJS.ErrnoException | undefined)?.code ?? '') === tooLongHead;

/** Translates an error of the system, of Node or of undici; `during` names the step. */
export function failureOf(error: unknown, during: 'connect' | 'tls'): SendFailure {
  if (error instanceof SendFailure) return error;
  // If several addresses failed, the reasons are inside.
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const { name, code = '', message = '' } = (first ?? {}) as NodeJS.ErrnoException;
  // A server may tell after the handshake, too, that it wants another certificate (TLS 1.3).
  const outcome = during === 'tls' || code.startsWith('ERR_SSL_') ? 'tls' : 'connect';
  const detail = detailOf(outcome, name === 'HTTPParserError' ? 'HPE' : code);
  return new SendFailure(outcome, detail, [code, message].filter(Boolean).join(': '));
}

function detailOf(outcome: 'connect' | 'tls', code: string): string {
  if (outcome === 'tls') {
    if (code.startsWith('ERR_SSL_') && code.includes('ALERT') && code.includes('CERTIFICATE'))
      return tlsDetails[code] ?? 'the server refused our certificate';
    return tlsDetails[code] ?? 'the TLS handshake failed';
  }
  return connectDetails[code] ?? (code.startsWith('HPE') ? notHttp : 'the connection failed');
}

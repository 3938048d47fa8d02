import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { problem, problemContentType } from '#lib/problem';
import { endInStages, endInStagesAfter, isEnding } from './lingering-close.ts';
import { unansweredOn } from './unanswered.ts';

/** Answers bytes that Node could not read as a request, in the form that all errors have; the connection ends, being out of step. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  // Bytes after an invalid request are not a request.
  if (isEnding(socket)) return;
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy(error);
    return;
  }
  const before = unansweredOn(socket);
  const last = before.at(-1);
  // The bad bytes follow a request that is in progress: its sender must not read that it was refused.
  if (last?.req.complete) return endInStagesAfter(socket, last);
  // On a connection with an earlier response, one may be in progress: this one would be read as part of it.
  if (socket.bytesWritten > 0 || before.length > 1) {
    socket.destroy(error);
    return;
  }
  const code = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request_timeout' : 'validation_failed';
  const detail =
    error.code === 'HPE_HEADER_OVERFLOW' ? 'The request headers are too large' : 'The request is not valid HTTP';
  const answer = code === 'request_timeout' ? problem(code) : problem(code, detail);
  const body = JSON.stringify(answer);
  endInStages(
    socket,
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\nconnection: close\r\n` +
      `content-type: ${problemContentType}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

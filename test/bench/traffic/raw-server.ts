import { createServer, type Server, type Socket } from 'node:net';

export interface RawRequest {
  path: string;
  eventId: string;
  /** Good until the call is over. */
  body: Buffer;
}

const headEnd = '\r\n\r\n';
const maxHeadBytes = 64 * 1024;

/**
 * A receiver of webhooks that reads no more of HTTP than it needs: one request after the other on a connection, each with a Content-Length, as
 * the dispatcher sends them. It costs the machine little beside what is measured.
 *
 * @param take called once a request is there in whole
 */
export function createRawServer(take: (request: RawRequest, socket: Socket) => void): Server {
  return createServer({ noDelay: true }, (socket) => {
    let received: Buffer = Buffer.alloc(0);
    // A client that goes away gets no answer.
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes) => {
      received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
      const end = received.indexOf(headEnd);
      if (end === -1) {
        if (received.length > maxHeadBytes) socket.destroy();
        return;
      }
      const head = received.toString('latin1', 0, end);
      const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      if (received.length < end + headEnd.length + length) return;
      const body = received.subarray(end + headEnd.length, end + headEnd.length + length);
      received = received.subarray(end + headEnd.length + length);
      const eventId = /\r\nwebhook-id: *([^\r]+)/i.exec(head)?.[1] ?? '';
      const path = head.slice(head.indexOf(' ') + 1, head.indexOf(' ', head.indexOf(' ') + 1));
      take({ path, eventId, body }, socket);
    });
  });
}

/** Answers a request that has been taken. */
export const answerRaw = (socket: Socket, status: number): void =>
  void socket.write(`HTTP/1.1 ${status} -\r\ncontent-length: 0\r\n\r\n`);

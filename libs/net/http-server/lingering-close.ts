/**
 * Closing a connection with unread bytes resets it, and the client may lose the response: a sender that is still writing its body never
 * reads why it was refused, and sends it again. So such a connection closes in stages (RFC 9112, 9.6): the server ends its side, then reads
 * and discards until the sender has ended too.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A sender that says nothing for so long isn't sending. */
const silenceMs = 5_000;
/** The server reads from a closing connection no longer than this. */
const lingerMs = 30_000;

/** The current request of each connection; also the mark of connections that end in stages. */
const requests = new WeakMap<Socket, IncomingMessage>();

/** Call it for each request, before it is answered. */
export function lingerOnClose(request: IncomingMessage): void {
  const { socket } = request;
  if (!requests.has(socket)) {
    // Node calls this after a connection's last answer.
    const destroySoon = socket.destroySoon.bind(socket);
    socket.destroySoon = () => {
      const current = requests.get(socket);
      if (current === undefined || current.complete) return destroySoon();
      endInStages(socket);
      current.resume();
    };
  }
  requests.set(socket, request);
}

const ending = new WeakSet<Socket>();

/** Whether all further input on it is ignored. */
export const isEnding = (socket: Socket): boolean => ending.has(socket);

/** Ends the connection after its last answer, ignoring all later requests. */
export function endInStagesAfter(socket: Socket, answer: ServerResponse): void {
  ending.add(socket);
  if (!answer.headersSent) answer.setHeader('connection', 'close');
  socket.destroySoon = () => endInStages(socket);
}

/** @param last a final answer to send */
export function endInStages(socket: Socket, last = ''): void {
  ending.add(socket);
  const cut = (): void => void socket.destroy();
  const timer = setTimeout(cut, lingerMs);
  socket.once('close', () => clearTimeout(timer));
  socket.setTimeout(silenceMs, cut);
  socket.end(last);
}

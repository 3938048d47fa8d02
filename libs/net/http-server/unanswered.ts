import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Unanswered requests of each connection, in their order. */
const unanswered = new WeakMap<Socket, Set<ServerResponse>>();

/** Call it for each request, before it is answered. */
export function noteUnanswered({ socket }: IncomingMessage, response: ServerResponse): void {
  const ofSocket = unanswered.get(socket) ?? new Set();
  unanswered.set(socket, ofSocket.add(response));
}

/** Call it when its answer has ended, in any way. */
export const noteAnswered = ({ socket }: IncomingMessage, response: ServerResponse): void =>
  void unanswered.get(socket)?.delete(response);

export const unansweredOn = (socket: Socket): readonly ServerResponse[] => [...(unanswered.get(socket) ?? [])];

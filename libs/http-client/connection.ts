/**
 * One connection, spoken over by undici: HTTP/1.1, one request at a time, or HTTP/2, many streams. It is bound to the socket that was opened
 * for it: undici's own way of opening another one when that has closed is shut, so that no request goes out over a socket that the pool
 * does not know.
 */
import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import { idleLimitMs, maxHeadBytes, maxIdleLimitMs, maxStreamsPerConnection } from './limits.ts';
import type { Opening } from './open-socket.ts';
import { SendFailure } from './send-failure.ts';

/** Fails a request whose connection closed during the hand-over: it was not sent, or the server said that it did not read it. */
export class ConnectionGone extends SendFailure {
  constructor() {
    super('connect', 'the connection was closed before the request was sent');
  }
}

export interface Connection {
  /** The time that opening it took. Returned once, to the first request. */
  takeOpening(): Opening | undefined;
  /** @returns whether there is room for another one; if not, `onRoom` is called when there is */
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean;
  /** The request's first byte is about to be written. */
  begin(): void;
  /** Whether an answer by HTTP/1.1 begins as they do; undefined by HTTP/2. */
  beginsAsUsual(): boolean | undefined;
  /** By HTTP/1.1: the first bytes that have come since then, more than `maxHeadBytes` if there are more. */
  answerSoFar(): Buffer;
  /** A dispatched request has ended, even if undici still counts it. */
  release(): void;
  /** By the caller's clock: when any response last arrived on this connection. */
  heardAtMs: number;
  /** Accepts nothing more, finishes its requests. */
  retire(): void;
  destroy(): void;
}

interface Events {
  onRoom(): void;
  /** Called when it accepts no more requests. */
  onGone(): void;
}

/** The first of `HTTP/`. */
const letterH = 0x48;

export function createConnection(origin: string, socket: Socket, opening: Opening, events: Events): Connection {
  let given = false;
  let gone = false;
  let inFlight = 0;
  /** Set while undici asks for another socket. */
  let refuse: (() => void) | undefined;
  let unclaimed: Opening | undefined = opening;
  let firstChunks: Buffer[] = [];
  let firstBytes = 0;
  const client = new Client(origin, {
    connect: (_options, callback) => {
      if (!given) {
        given = true;
        // Not within this call: undici expects its connector to answer later.
        queueMicrotask(() => callback(null, socket));
        return;
      }
      refuse = () => callback(new ConnectionGone(), null);
      setImmediate(refuseWhenIdle);
    },
    pipelining: 1,
    maxHeaderSize: maxHeadBytes,
    // Limits of ours, on our clock.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: idleLimitMs,
    keepAliveMaxTimeout: maxIdleLimitMs,
    h2Options: { maxConcurrentStreams: maxStreamsPerConnection, pingInterval: 0 },
  });
  client.on('drain', () => {
    if (!gone) events.onRoom();
  });
  client.on('disconnect', retire);
  client.once('connect', () => {
    // Only now: undici waits for `readable`, and so its reading stays the only one.
    if (!isHttp2(socket)) socket.on('data', keepFirst);
  });

  /** Keeps no more than references, which `answerSoFar` looks at. */
  function keepFirst(chunk: Buffer): void {
    if (inFlight <= 0 || firstBytes >= maxHeadBytes) return;
    firstChunks.push(chunk);
    firstBytes += chunk.length;
  }

  function forgetFirst(): void {
    if (firstBytes === 0) return;
    firstChunks = [];
    firstBytes = 0;
  }

  function retire(): void {
    if (gone) return;
    gone = true;
    closeWhenDone();
    events.onGone();
  }

  /** Once all requests of the server have ended: until then undici would retry again and again. */
  function refuseWhenIdle(): void {
    if (refuse === undefined || (client.stats.running ?? 0) > 0) return;
    const refuseNow = refuse;
    refuse = undefined;
    refuseNow();
  }

  /** Undici's own `close` waits for ever for a stream that the server has never let begin. */
  function closeWhenDone(): void {
    if (!gone || inFlight > 0) return;
    void client.destroy();
    // A session that the server has taken leave of (GOAWAY) is no longer undici's to destroy.
    socket.destroy();
  }

  return {
    takeOpening() {
      const taken = unclaimed;
      unclaimed = undefined;
      return taken;
    },
    dispatch(options, handler) {
      inFlight += 1;
      const hasRoom = client.dispatch(options, handler);
      // A request that undici refuses to send takes no room either.
      return hasRoom || (client.stats.size ?? 0) === 0;
    },
    begin: forgetFirst,
    beginsAsUsual: () => (firstBytes === 0 ? undefined : firstChunks[0]?.[0] === letterH),
    answerSoFar: () => Buffer.concat(firstChunks),
    release() {
      inFlight -= 1;
      if (inFlight === 0) forgetFirst();
      // Undici counts it until the call that ended it has returned.
      if (refuse !== undefined) setImmediate(refuseWhenIdle);
      closeWhenDone();
    },
    heardAtMs: Number.NEGATIVE_INFINITY,
    retire,
    destroy() {
      inFlight = Number.NEGATIVE_INFINITY;
      retire();
      closeWhenDone();
    },
  };
}

const isHttp2 = (socket: Socket): boolean => 'alpnProtocol' in socket && socket.alpnProtocol === 'h2';

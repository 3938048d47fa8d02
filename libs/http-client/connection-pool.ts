/**
 * The connections of one origin by one route. A request takes a connection with room, else opens one, else waits for its turn. A connection
 * is opened for one request, so a failure to open it is the failure of that request.
 *
 *   waiting ──(a place)──► opening ──(open)──► given
 *      ▲                      │
 *      └──── cancelled: out   └─(not)─► failed, and the next in line opens one
 */
import { type Connection, createConnection } from './connection.ts';
import type { Opening, OpenSocket, Target } from './open-socket.ts';
import { failureOf, SendFailure } from './send-failure.ts';

interface Waiter {
  /** @returns whether the connection has room for another request */
  take(connection: Connection): boolean;
  fail(failure: SendFailure): void;
}

/** A request's place in the pool, until it has a connection. */
export interface Place {
  /** The connection that is being opened for it; undefined while it waits in line. */
  opening: Opening | undefined;
  cancel(): void;
}

export interface ConnectionPool {
  acquire(waiter: Waiter): Place;
  readonly isEmpty: boolean;
  destroy(): void;
}

interface Options {
  origin: string;
  target: Target;
  open: OpenSocket;
  maxConnections: number;
  /** Called when it has no connection and no waiting request. */
  onEmpty(): void;
}

interface Waiting extends Place {
  waiter: Waiter;
  isCancelled: boolean;
}

const stopping = (): SendFailure => new SendFailure('connect', 'the sender is being stopped');

export function createConnectionPool({ origin, target, open, maxConnections, onEmpty }: Options): ConnectionPool {
  const connections = new Set<Connection>();
  /** The most recently used connection is on top, so that the others become idle and close. */
  const free: Connection[] = [];
  const line: Waiting[] = [];
  let openings = 0;
  let destroyed = false;

  function acquire(waiter: Waiter): Place {
    const place: Waiting = { waiter, opening: undefined, isCancelled: false, cancel: () => cancel(place) };
    const connection = free.pop();
    if (connection !== undefined) give(connection, waiter);
    else if (connections.size + openings < maxConnections) void openFor(place);
    else line.push(place);
    return place;
  }

  async function openFor(place: Waiting): Promise<void> {
    const opening: Opening = { phase: 'connect', dnsMs: null, connectMs: null, tlsMs: null };
    place.opening = opening;
    openings += 1;
    try {
      const socket = await open(target, opening);
      const connection: Connection = createConnection(origin, socket, opening, {
        onRoom: () => passOn(connection),
        onGone: () => drop(connection),
      });
      connections.add(connection);
      openings -= 1;
      place.opening = undefined;
      // A timed-out request leaves its connection to the next in line.
      const next = place.isCancelled ? line.shift() : place;
      if (next !== undefined && !destroyed) return give(connection, next.waiter);
      connection.destroy();
      next?.waiter.fail(stopping());
    } catch (error) {
      openings -= 1;
      if (!place.isCancelled) place.waiter.fail(failureOf(error, 'connect'));
      advance();
    }
  }

  function give(connection: Connection, waiter: Waiter): void {
    if (waiter.take(connection)) passOn(connection);
  }

  function passOn(connection: Connection): void {
    if (!connections.has(connection)) return;
    const next = line.shift();
    if (next !== undefined) give(connection, next.waiter);
    else if (!free.includes(connection)) free.push(connection);
  }

  function drop(connection: Connection): void {
    connections.delete(connection);
    const at = free.indexOf(connection);
    if (at >= 0) free.splice(at, 1);
    advance();
  }

  /** A place has become free. */
  function advance(): void {
    const next = connections.size + openings < maxConnections ? line.shift() : undefined;
    if (next !== undefined) void openFor(next);
    else if (isEmpty()) onEmpty();
  }

  function cancel(place: Waiting): void {
    place.isCancelled = true;
    const at = line.indexOf(place);
    if (at >= 0) line.splice(at, 1);
  }

  const isEmpty = (): boolean => connections.size === 0 && openings === 0 && line.length === 0;

  return {
    acquire,
    get isEmpty() {
      return isEmpty();
    },
    destroy() {
      destroyed = true;
      for (const { waiter } of line.splice(0)) waiter.fail(stopping());
      for (const connection of [...connections]) connection.destroy();
    },
  };
}

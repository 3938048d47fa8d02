/**
 * A link between clients and one server on loopback, which may be told to behave as bad networks do: link-fault.ts has how. It passes bytes
 * and ends in both directions, and holds no more of them than a network would.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { createFlow, type Flow } from './flow.ts';
import { type Direction, isFlowFault, type LinkFault } from './link-fault.ts';

export interface TcpProxy {
  readonly port: number;
  /** Applies to existing and new connections; undefined: bytes pass unchanged. Several at once take effect in their order. */
  set(fault: LinkFault | undefined): Promise<void>;
  /** How many there are at this moment. */
  connections(): number;
  close(): Promise<void>;
}

interface Target {
  port: number;
  host?: string;
}

interface Connection {
  client: Socket;
  server: Socket;
  up: Flow;
  down: Flow;
  /** Until it is cut. */
  bytesLeft: number;
}

/** A reset takes along what its receiver has not read yet: part of a message is to arrive. */
const readMs = 20;

/** @param target the server; its host is this machine by default */
export async function startTcpProxy(target: Target, random: () => number): Promise<TcpProxy> {
  const connections = new Set<Connection>();
  let fault: LinkFault | undefined;
  let server: Server | undefined;

  const reset = ({ client, server: upstream }: Connection): void => {
    client.resetAndDestroy();
    upstream.resetAndDestroy();
  };
  const resetAll = (): void => connections.forEach(reset);

  const accept = (client: Socket): void => {
    if (fault?.kind === 'resets') return void client.resetAndDestroy();
    const upstream = connect({ host: '127.0.0.1', ...target, allowHalfOpen: true, noDelay: true });
    const flowing = {
      random,
      take(bytes: number): number {
        const taken = Math.min(bytes, connection.bytesLeft);
        connection.bytesLeft -= taken;
        return taken;
      },
      cut: () => void setTimeout(() => reset(connection), readMs),
    };
    const connection: Connection = {
      client,
      server: upstream,
      up: createFlow(client, upstream, flowing),
      down: createFlow(upstream, client, flowing),
      bytesLeft: bytesUntilCut(fault),
    };
    connections.add(connection);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.on('error', () => other.resetAndDestroy());
      socket.on('close', (hadError) => {
        if (hadError || !other.writable) other.destroy();
        if (!client.destroyed || !upstream.destroyed) return;
        connection.up.close();
        connection.down.close();
        connections.delete(connection);
      });
    }
    setFlows(connection, fault);
  };

  const listen = (port: number): Promise<Server> =>
    new Promise((resolve, reject) => {
      const listening = createServer({ allowHalfOpen: true, noDelay: true }, accept);
      listening.once('error', reject);
      listening.listen({ port, host: '127.0.0.1' }, () => resolve(listening));
    });
  const stopListening = async (): Promise<void> => {
    const closing = server;
    server = undefined;
    if (closing === undefined) return;
    const closed = new Promise((resolve) => closing.close(resolve));
    resetAll();
    await closed;
  };

  // A reserved port: it stays free while nothing listens on it.
  const [port = 0] = await freePorts(1);
  server = await listen(port);

  async function apply(next: LinkFault | undefined): Promise<void> {
    fault = next;
    if (next?.kind === 'refuses') return stopListening();
    server ??= await listen(port);
    if (next?.kind === 'resets') resetAll();
    for (const connection of connections) {
      connection.bytesLeft = bytesUntilCut(next);
      setFlows(connection, next);
    }
  }

  let last = Promise.resolve();
  return {
    port,
    set(next) {
      last = last.then(() => apply(next));
      return last;
    },
    connections: () => connections.size,
    close: stopListening,
  };
}

const bytesUntilCut = (fault: LinkFault | undefined): number =>
  fault?.kind === 'cuts' ? fault.afterBytes : Number.POSITIVE_INFINITY;

function setFlows({ up, down }: Connection, fault: LinkFault | undefined): void {
  const of = (direction: Direction) =>
    isFlowFault(fault) && (fault.direction === direction || fault.direction === 'both') ? fault : undefined;
  up.set(of('up'));
  down.set(of('down'));
}

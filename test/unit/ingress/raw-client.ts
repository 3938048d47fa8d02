import { connect, type Socket } from 'node:net';

const deadlineMs = 5_000;

export interface RawClient {
  socket: Socket;
  write(bytes: string | Buffer): void;
  /** All that has come so far. */
  received(): string;
  /** Resolves when what has come matches; rejects when it can't any more, or not in time. */
  until(pattern: RegExp): Promise<string>;
  /** Resolves when the connection has ended, either way. */
  closed: Promise<void>;
}

/** A connection on which a test says every byte itself. */
export async function connectRaw(port: number): Promise<RawClient> {
  const socket = connect({ host: '127.0.0.1', port });
  let text = '';
  let isClosed = false;
  const watchers = new Set<() => void>();
  const wake = (): void => watchers.forEach((watcher) => watcher());
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    wake();
  });
  // A reset is an end like another here: `closed` follows it.
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) =>
    socket.once('close', () => {
      isClosed = true;
      wake();
      resolve();
    }),
  );
  await Promise.race([
    new Promise<void>((resolve) => socket.once('connect', resolve)),
    closed.then(() => Promise.reject(new Error('the connection was refused'))),
  ]);
  return {
    socket,
    write: (bytes) => void socket.write(bytes),
    received: () => text,
    closed,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const end = (error?: string): void => {
          clearTimeout(timer);
          watchers.delete(watcher);
          if (error === undefined) resolve(text);
          else reject(new Error(`${error} waiting for ${pattern.source}; received: ${text.slice(0, 2_000)}`));
        };
        const watcher = (): void => {
          if (pattern.test(text)) end();
          else if (isClosed) end('the connection ended');
        };
        const timer = setTimeout(() => end('the time ran out'), deadlineMs);
        watchers.add(watcher);
        watcher();
      }),
  };
}

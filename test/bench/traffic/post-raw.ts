import { type Answer, type Connection, createConnection } from '../../support/load/connection.ts';

/** POSTs to one server over as many connections as are under way at once, each used again: it costs the machine little beside what is measured. */
export interface RawPoster {
  /** Undefined: the connection ended without an answer. */
  post(path: string, headers: Readonly<Record<string, string>>, body: Buffer): Promise<Answer | undefined>;
  close(): void;
}

export function createRawPoster(url: string): RawPoster {
  const { hostname, port, host } = new URL(url);
  const all = new Set<Connection>();
  const free: Connection[] = [];

  const take = (): Connection => {
    const connection = free.pop() ?? createConnection(hostname, Number(port));
    all.add(connection);
    return connection;
  };

  return {
    post: (path, headers, body) =>
      new Promise((resolve) => {
        const connection = take();
        let head = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-length: ${body.length}\r\n`;
        for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
        connection.send(Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), body]), (answer) => {
          free.push(connection);
          resolve(answer);
        });
      }),
    close: () => all.forEach((connection) => connection.close()),
  };
}

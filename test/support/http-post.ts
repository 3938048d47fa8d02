import { type Agent, request } from 'node:http';

export interface HttpAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
}

interface Post {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  timeoutMs: number;
  agent?: Agent;
}

/**
 * One POST. A server may answer and close before it has the whole body; its answer counts.
 *
 * @throws the connection's error, or one of code `ETIMEDOUT`, if there was no answer
 */
export function httpPost({ url, headers, body, timeoutMs, agent }: Post): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: 'POST',
      headers: {
        ...('transfer-encoding' in headers ? {} : { 'content-length': String(body.length) }),
        ...headers,
      },
      ...(agent === undefined ? {} : { agent }),
    });
    const timer = setTimeout(
      () => outgoing.destroy(Object.assign(new Error(`no answer within ${timeoutMs} ms`), { code: 'ETIMEDOUT' })),
      timeoutMs,
    );
    let answered = false;
    const fail = (error: Error): void => {
      clearTimeout(timer);
      if (!answered) reject(error);
    };
    outgoing.on('error', fail);
    outgoing.on('close', () => clearTimeout(timer));
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', fail);
      incoming.on('end', () => {
        answered = true;
        clearTimeout(timer);
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: Buffer.concat(chunks) });
      });
    });
    outgoing.end(body);
  });
}

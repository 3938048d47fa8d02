import { request as httpRequest } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import { failureOf, SendFailure } from './send-failure.ts';

/**
 * Asks the proxy at the other end of the socket for a way to an address (CONNECT): to the address that was vetted, never to the name, which
 * the proxy might resolve to another one.
 *
 * @param credentials the proxy's URL, if it has a user in it
 */
export function openTunnel(socket: Socket, address: string, port: number, credentials: URL): Promise<Socket> {
  const authority = `${isIPv6(address) ? `[${address}]` : address}:${port}`;
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...authorizationOf(credentials) },
      createConnection: () => socket,
    });
    request.once('connect', ({ statusCode = 0 }, tunnel: Socket, head) => {
      if (statusCode < 200 || statusCode > 299) {
        tunnel.destroy();
        const hint = statusCode === 407 ? ': it asks for other credentials' : '';
        return reject(new SendFailure('connect', `the proxy answered ${statusCode}${hint}`));
      }
      if (head.length > 0) tunnel.unshift(head);
      resolve(tunnel);
    });
    request.once('error', (error) => reject(proxyFailure(error)));
    request.end();
  });
}

export function proxyFailure(error: unknown): SendFailure {
  const { outcome, message, operatorDetail } = failureOf(error, 'connect');
  return new SendFailure(outcome, `the proxy: ${message}`, operatorDetail);
}

function authorizationOf({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const credentials = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64');
  return { 'proxy-authorization': `Basic ${credentials}` };
}

/** A URL may contain a literal percent sign. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

import { connect } from 'node:net';
import { within } from './wait-until.ts';

/**
 * Deletes the data of one pipeline in Redis: FLUSHDB of its database number, since the server may have other users. To that pipeline it is
 * like FLUSHALL.
 */
export async function flushRedisDatabase(url: string): Promise<void> {
  const { hostname, port, pathname, password } = new URL(url);
  const commands = [
    ...(password === '' ? [] : [`AUTH ${decodeURIComponent(password)}`]),
    `SELECT ${pathname.slice(1) || '0'}`,
    'FLUSHDB',
    'QUIT',
  ];
  const socket = connect(Number(port || 6379), hostname);
  const answered = new Promise<string>((resolve, reject) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => (text += chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
  socket.write(commands.map((command) => `${command}\r\n`).join(''));
  const text = await within('Redis forgets', 60_000, answered).finally(() => socket.destroy());
  if (text !== '+OK\r\n'.repeat(commands.length)) throw new Error(`Redis answered ${JSON.stringify(text)}`);
}

/** Bytes that are no request, or more than one, or less. */
import type { Pools } from '../../pools.ts';
import { flipped } from './mutation.ts';

/** Requests on one connection, none of which waits for the answer to the one before. */
const pipelined = 20;

/** How many requests these bytes may be. */
export const requestsIn = (kind: string): number => (kind === 'garbage: pipelined' ? pipelined : 1);

/** @param sound of a request */
export function garbage(sound: Buffer, pools: Pools): { kind: string; bytes: Buffer } {
  const text = sound.toString('latin1');
  const of = (kind: string, bytes: Buffer | string) => ({ kind, bytes: Buffer.from(bytes as string, 'latin1') });
  switch (pools.below(10)) {
    case 0:
      return of('garbage: bytes', pools.bytes());
    case 1:
      return of('garbage: half', sound.subarray(0, pools.below(sound.length)));
    case 2:
      return of('garbage: pipelined', text.replace(/connection: close\r\n/, '').repeat(pipelined));
    case 3:
      return of(
        'garbage: version',
        text.replace('HTTP/1.1', pools.pick(['HTTP/2.0', 'HTTP/1.9', 'HTTP/0.9', 'HTPP/1.1'])),
      );
    case 4:
      return of('garbage: TLS', Buffer.from('16030100c8010000c40303', 'hex'));
    case 5:
      return of('garbage: no end', text.replace(/\r\n\r\n[\s\S]*/, '\r\n'));
    case 6:
      return of('garbage: line feeds', text.replaceAll('\r\n', '\n'));
    case 7:
      return of('garbage: request line', `${'A'.repeat(pools.pick([100, 70_000]))} / HTTP/1.1\r\n\r\n`);
    case 8:
      return of('garbage: HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    default:
      return of('garbage: bits', flipped(sound, pools));
  }
}

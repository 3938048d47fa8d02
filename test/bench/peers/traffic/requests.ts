import { createHmac } from 'node:crypto';
import type { Target } from './job.ts';

const placeholder = '{id}';
/** The payload is an object: this is its first member, and what follows it is its own first one. */
const nameOfId = 'bench_id';

/** @returns the whole request for an event, as it goes over the wire */
export function createRequests(target: Target, payloads: readonly string[]): (id: string, number: number) => Buffer {
  const { host, port, path, headers, before, after, signature } = target;
  const rests = payloads.map((payload) => Buffer.from(payload.slice(1) + after));
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST ${path} HTTP/1.1\r\nhost: ${host}:${port}\r\ncontent-type: application/json\r\n${lines.join('')}`;
  return (id, number) => {
    const rest = rests[number % rests.length] as Buffer;
    const start = Buffer.from(`${before.replaceAll(placeholder, id)}{"${nameOfId}":"${id}",`);
    let own = head.replaceAll(placeholder, id);
    if (signature !== undefined) {
      const signed = createHmac('sha256', signature.secret).update(start).update(rest).digest('hex');
      own += `${signature.header}: sha256=${signed}\r\n`;
    }
    own += `content-length: ${start.length + rest.length}\r\n\r\n`;
    return Buffer.concat([Buffer.from(own, 'latin1'), start, rest]);
  };
}

export interface EventId {
  run: string;
  number: number;
}

/** The event id in a receiver's body, however the system wraps or re-serializes the payload; undefined if there is none. */
export function eventIdIn(body: Buffer): EventId | undefined {
  const at = body.indexOf(nameOfId);
  if (at === -1) return undefined;
  const text = body.toString('latin1', at + nameOfId.length, at + nameOfId.length + 64);
  // JSON within JSON has its quotes escaped.
  const [, run, number] = /^\\?"\s*:\s*\\?"([0-9a-z]+)-(\d+)\\?"/.exec(text) ?? [];
  return run === undefined ? undefined : { run, number: Number(number) };
}

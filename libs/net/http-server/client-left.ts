import type { IncomingMessage, ServerResponse } from 'node:http';

/** Whether the client has disconnected before the end of its body: nobody reads the answer, and nothing of ours is wrong. */
export const hasClientLeft = ({ complete, destroyed }: IncomingMessage): boolean => destroyed && !complete;

const signals = new WeakMap<ServerResponse, AbortSignal>();

/** Aborts when the client closes its connection before it has the whole answer: nobody reads it any more. */
export function clientLeft({ raw }: { raw: ServerResponse }): AbortSignal {
  const known = signals.get(raw);
  if (known !== undefined) return known;
  const left = new AbortController();
  const note = (): void => (raw.writableFinished ? undefined : left.abort());
  if (raw.destroyed) note();
  else raw.once('close', note);
  signals.set(raw, left.signal);
  return left.signal;
}

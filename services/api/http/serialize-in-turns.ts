import type { preSerializationAsyncHookHandler } from 'fastify';

/** Shorter lists are serialized at once. */
const fewItems = 20;
/** Other requests wait no longer than this, and one item, for a list. */
const turnMs = 10;

/** Serializes long lists in turns of the event loop: a page may hold a thousand items of forty kilobytes. */
export const serializeInTurns: preSerializationAsyncHookHandler = async (_request, reply, payload) => {
  if (!Array.isArray(payload) || payload.length <= fewItems) return payload;
  const texts: string[] = [];
  let sinceMs = performance.now();
  for (const item of payload) {
    texts.push(JSON.stringify(item));
    if (performance.now() - sinceMs < turnMs) continue;
    await new Promise(setImmediate);
    sinceMs = performance.now();
  }
  reply.serializer((text: string) => text);
  return `[${texts.join(',')}]`;
};

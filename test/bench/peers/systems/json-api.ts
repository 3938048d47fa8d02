/** Requests to a peer's own API, to set it up. */
export type JsonApi = (method: string, path: string, body?: unknown) => Promise<unknown>;

const timeoutMs = 10_000;

export const createJsonApi =
  (url: string, bearer: string): JsonApi =>
  async (method, path, body) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  };

import { createApiClient } from '../../../support/api-client.ts';
import { httpPost } from '../../../support/http-post.ts';
import { signAsHookline } from '../../../support/sign-webhook.ts';
import type { Stack } from '../../../support/stack.ts';
import type { Finding } from '../findings.ts';

export interface Control {
  /** A webhook and a published event, each as it should be. @param after what was sent before, for people */
  ask(after: string): Promise<Finding[]>;
  asked(): number;
  /** The receipt ids of the webhooks. */
  readonly receipts: readonly string[];
}

const timeoutMs = 10_000;

/** Requests that are as they should be, in a tenant of their own: whatever went before, they get their answers. */
export async function createControl({ apiUrl, ingressUrl, adminKey }: Stack): Promise<Control> {
  const api = createApiClient({ url: apiUrl, adminKey });
  const source = await api.createSource({ name: 'control', scheme: 'hookline' });
  const receipts: string[] = [];
  let asked = 0;

  const webhook = async (): Promise<string | undefined> => {
    const body = Buffer.from(JSON.stringify({ id: `control ${asked}`, type: 'control' }));
    const headers = signAsHookline(source.secret, body, Math.floor(Date.now() / 1000));
    const { status, body: answer } = await httpPost({
      url: `${ingressUrl}/v1/webhooks/${source.id}`,
      headers,
      body,
      timeoutMs,
    });
    const { id } = JSON.parse(answer.toString()) as { id?: string };
    if (status !== 202 || id === undefined) return `a signed webhook → ${status} ${answer.toString()}`;
    receipts.push(id);
    return undefined;
  };
  const call = async (): Promise<string | undefined> => {
    const ask = async (method: string, path: string, body?: object): Promise<{ status: number; text: string }> => {
      const response = await fetch(`${apiUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${adminKey}`, ...(body && { 'content-type': 'application/json' }) },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      });
      return { status: response.status, text: await response.text() };
    };
    const published = await ask('POST', '/v1/events', { type: 'control', payload: { asked } });
    if (published.status !== 202) return `POST /v1/events → ${published.status} ${published.text}`;
    const { id } = JSON.parse(published.text) as { id: string };
    const read = await ask('GET', `/v1/events/${id}`);
    const isSame =
      read.status === 200 &&
      JSON.stringify((JSON.parse(read.text) as { payload: unknown }).payload) === JSON.stringify({ asked });
    return isSame ? undefined : `GET /v1/events/${id} → ${read.status} ${read.text}`;
  };

  return {
    async ask(after) {
      asked += 1;
      const problems = await Promise.all(
        [webhook, call].map((work) => work().catch((error: unknown) => (error as Error).message)),
      );
      return problems.flatMap((problem) =>
        problem === undefined ? [] : [{ finding: 'control-failed' as const, says: `after ${after}: ${problem}` }],
      );
    },
    asked: () => asked,
    receipts,
  };
}

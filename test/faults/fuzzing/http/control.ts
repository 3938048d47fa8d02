import { httpPost } from '../../../support/http-post.ts';
import { signAsHookline } from '../../../support/sign-webhook.ts';
import type { Stack } from '../../../support/stack.ts';
import { connectApi } from '../connect-api.ts';
import type { Finding } from '../findings.ts';

export interface Control {
  /** A webhook and a published event, each as it should be. @param after what was sent before, for people */
  ask(after: string): Promise<Finding[]>;
  asked(): number;
  /** The receipt ids of the webhooks. */
  readonly receipts: readonly string[];
}

/** Requests that are as they should be, in a tenant of their own: whatever went before, they get their answers. */
export async function createControl(stack: Stack): Promise<Control> {
  const api = connectApi(stack);
  const source = await api.call('POST /v1/sources', { body: { name: 'control', scheme: 'hookline' } });
  const url = `${stack.ingressUrl}/v1/webhooks/${source.id}`;
  const receipts: string[] = [];
  let asked = 0;

  async function webhook(): Promise<void> {
    const body = Buffer.from(JSON.stringify({ id: `control ${asked}`, type: 'control' }));
    const headers = signAsHookline(source.secret, body, Math.floor(Date.now() / 1000));
    const answer = await httpPost({ url, headers, body, timeoutMs: 10_000 });
    const { id } = JSON.parse(answer.body.toString()) as { id?: string };
    if (answer.status !== 202 || id === undefined)
      throw new Error(`a webhook → ${answer.status} ${answer.body.toString()}`);
    receipts.push(id);
  }
  async function publish(): Promise<void> {
    const payload = { asked };
    const { id } = await api.call('POST /v1/events', { body: { type: 'control', payload } });
    const read = await api.call('GET /v1/events/:id', { params: { id } });
    if (!('payload' in read) || JSON.stringify(read.payload) !== JSON.stringify(payload))
      throw new Error(`${id} has another payload`);
  }
  return {
    async ask(after) {
      asked += 1;
      const settled = await Promise.allSettled([webhook(), publish()]);
      return settled.flatMap((each) =>
        each.status === 'fulfilled'
          ? []
          : [{ finding: 'control-failed', says: `after ${after}: ${String(each.reason)}` }],
      );
    },
    asked: () => asked,
    receipts,
  };
}

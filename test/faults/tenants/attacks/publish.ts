import { setTimeout as delay } from 'node:timers/promises';
import type { Attacker } from '../attack.ts';
import type { TenantClient } from '../tenant-client.ts';

/** @returns its id, or undefined if it was refused */
export async function publish(client: TenantClient, type: string, payload: unknown = {}): Promise<string | undefined> {
  const { status, body } = await client.call('POST', '/events', { type, payload });
  return status === 202 ? (body as { id: string }).id : undefined;
}

const againMs = 100;

/** Until it is taken, or the phase ends: the other attacks of the tenant take up its rate. */
export async function insist({ client, signal, pause }: Attacker, type: string): Promise<void> {
  while (!signal.aborted && (await publish(client, type)) === undefined) await pause(againMs);
}

const atOnce = 16;

/** Creates as many endpoints as the tenant's limits allow; a request that is too fast is repeated when the answer says so. */
export async function createEndpoints(
  client: TenantClient,
  count: number,
  endpointOf: (index: number) => Record<string, unknown>,
): Promise<void> {
  let next = 0;
  const create = async (index: number): Promise<void> => {
    for (;;) {
      const { body, headers } = await client.call('POST', '/endpoints', endpointOf(index));
      if ((body as { code?: string } | undefined)?.code !== 'rate_limited') return;
      await delay(Number(headers['retry-after']) * 1_000);
    }
  };
  const work = async (): Promise<void> => {
    while (next < count) await create(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

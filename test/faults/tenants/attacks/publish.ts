import type { TenantClient } from '../tenant-client.ts';

/** @returns its id, or undefined where it was refused */
export async function publish(client: TenantClient, type: string, payload: unknown = {}): Promise<string | undefined> {
  const { status, body } = await client.call('POST', '/events', { type, payload });
  return status === 202 ? (body as { id: string }).id : undefined;
}

const atOnce = 16;

/** As many endpoints as are not refused. */
export async function createEndpoints(
  client: TenantClient,
  count: number,
  endpointOf: (index: number) => Record<string, unknown>,
): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) await client.call('POST', '/endpoints', endpointOf(next++));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

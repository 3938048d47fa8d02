import type { ReadApi } from '../../api-calls/console-api.ts';
import { path } from '../../api-calls/paths.ts';
import type { Attempt } from './delivery.ts';

const pageSize = 100;

/**
 * An attempt by its number. The API lists attempts behind a step. Steps count from 1, parkings too, so the step of attempt n is n at least:
 * the list is read from there on.
 *
 * @returns undefined: there is no such attempt, or it is kept no longer. @throws ApiError
 */
export async function readAttempt(api: ReadApi, deliveryId: string, number: number): Promise<Attempt | undefined> {
  let parameters = new URLSearchParams({
    limit: String(pageSize),
    ...(number > 1 && { cursor: String(number - 1) }),
  });
  for (;;) {
    const listed = await api.list<Attempt>(path`/deliveries/${deliveryId}/attempts`, parameters);
    if (!listed.ok) return undefined;
    const found = listed.items.find(({ attempt }) => attempt === number);
    if (found !== undefined) return found;
    if (listed.next === undefined || (listed.items.at(-1)?.attempt ?? 0) > number) return undefined;
    parameters = listed.next;
  }
}

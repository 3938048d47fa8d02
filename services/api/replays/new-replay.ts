import type { DeadLetterReplay } from '#lib/replay-store';
import { createId, formatMicros } from '#lib/runtime';
import type { RouteDeps } from '../route.ts';

type NewReplay = Omit<DeadLetterReplay, 'filter' | 'limit'>;

/** A new replay, without its items. */
export function newReplay(
  { clock, random }: Pick<RouteDeps, 'clock' | 'random'>,
  { tenant, request, ratePerSecond = null }: Pick<NewReplay, 'tenant' | 'request'> & Partial<NewReplay>,
): NewReplay {
  const nowMs = clock.nowMs();
  return {
    tenant,
    id: createId('rpl', nowMs, random),
    request,
    ratePerSecond,
    createdAt: formatMicros(nowMs * 1_000),
  };
}

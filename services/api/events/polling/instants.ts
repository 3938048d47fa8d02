import { formatMicros, microsOf } from '#lib/clock';

/** A microsecond later: no two events of a tenant have the same `updated_at`, so what comes after one begins there. */
export const afterInstant = (instant: string): string => formatMicros(microsOf(instant) + 1);

import { AppError } from '#lib/errors';
import { parseRfc3339 } from './rfc3339.ts';

/** An instant as Postgres gives it, in microseconds since the epoch. @throws AppError data_invalid where it is none */
export function microsOf(rfc3339: string): number {
  const micros = parseRfc3339(rfc3339);
  if (micros === undefined) throw new AppError('data_invalid', `${rfc3339} is no instant`);
  return micros;
}

import { AppError } from '#lib/errors';
import { type LimitName, limitTable } from './limit-table.ts';

/** A tenant is at one of its limits; the error names the limit, and the tenant may try again. */
export class LimitReached extends AppError {
  readonly limit: LimitName;

  constructor(tenant: string, limit: LimitName) {
    super('limit_reached', `the tenant ${tenant} has reached its limit ${limit}: ${limitTable[limit].counts}`);
    this.name = 'LimitReached';
    this.limit = limit;
  }
}

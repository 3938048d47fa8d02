import { AppError } from '#lib/errors';
import { type LimitName, limitTable } from './limit-table.ts';

/** A tenant is at one of its limits: it is told so by the limit's name, and may come again. */
export class LimitReached extends AppError {
  readonly limit: LimitName;

  constructor(tenant: string, limit: LimitName) {
    super('limit_reached', `the tenant ${tenant} has reached its limit ${limit}: ${limitTable[limit].counts}`);
    this.name = 'LimitReached';
    this.limit = limit;
  }
}

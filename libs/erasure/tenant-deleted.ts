import { AppError } from '#lib/runtime';

/** The tenant was deleted while something was written for it: the transaction rolls back. */
export class TenantDeleted extends AppError {
  constructor(tenant: string) {
    super('data_invalid', `the tenant ${tenant} was deleted`);
    this.name = 'TenantDeleted';
  }
}

/**
 * SQL: a row if the tenant was deleted. Selected by the statement that writes, so that it is answered as of then: a transaction from before
 * the mark is waited for by the deletion, and one from after it throws TenantDeleted.
 */
export const ifDeleted = (tenant: string): string => `SELECT FROM erased x WHERE x.tenant = ${tenant} AND x.id = ''`;

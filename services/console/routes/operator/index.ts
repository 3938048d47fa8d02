import { deleteTenant } from './delete-tenant.ts';
import { editTenant } from './edit-tenant.ts';
import { system } from './system.ts';
import { tenants } from './tenants.ts';

/** `/tenants` and `/system`. */
export const operatorPages = [tenants, editTenant, deleteTenant, system];

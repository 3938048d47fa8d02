export { tenantPages } from './pages.ts';
export { findTenantsInUse, type Tenant } from './read.ts';
export { tenantsInUse } from './views.ts';

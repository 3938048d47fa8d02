export { tenantPages } from './pages.ts';
export { findTenantsInUse } from './read.ts';
export { tenantsInUse } from './views.ts';

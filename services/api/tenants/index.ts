export { countsOf, findTenant } from './queries.ts';
export { tenantRoutes } from './routes.ts';

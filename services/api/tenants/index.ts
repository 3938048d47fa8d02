export { limitRoutes } from './limit-routes.ts';
export { tenantRoutes } from './routes.ts';

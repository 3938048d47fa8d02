export { limitRoutes, tenantRoutes } from './routes.ts';

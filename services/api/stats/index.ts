export { countedSince } from './queries.ts';
export { statRoutes, systemRoutes } from './routes.ts';

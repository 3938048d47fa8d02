export { countedSince, findStats } from './queries.ts';
export { statRoutes, systemRoutes } from './routes.ts';

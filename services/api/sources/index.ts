export { unknownSources } from './queries.ts';
export { sourceRoutes } from './routes.ts';

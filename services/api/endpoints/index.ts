export { deleteExpiredEndpoints } from './delete-expired.ts';
export { endpointTable, subscriptionsAfter } from './queries.ts';
export { endpointRoutes } from './routes.ts';
export { heldBy } from './states.ts';

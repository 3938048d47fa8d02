/** Without the routes: they need rooms that need this one. */
export { deleteExpiredEndpoints } from './delete-expired.ts';
export { endpointTable, subscriptionsAfter } from './queries.ts';

export { readDeadLetterFilter } from './filters.ts';
export { findDeadLetterOfDelivery } from './queries.ts';
export { deadLetterRoutes } from './routes.ts';

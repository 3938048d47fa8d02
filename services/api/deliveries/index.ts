export { attemptOf, type AttemptRow, deliveryAt, excerptText, listAttempts } from './attempts.ts';
export { deliveryFilters } from './filters.ts';
export { deliveryId, deliveryOf, findDelivery, listDeliveriesOfEvent } from './queries.ts';
export { deliveryRoutes } from './routes.ts';

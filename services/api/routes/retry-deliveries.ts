import { bulkRoute } from '../replays/by-filter/bulk-route.ts';

/** `POST /v1/deliveries/retry` */
export const retryDeliveries = bulkRoute({
  url: '/v1/deliveries/retry',
  does: 'retry_deliveries',
  operation: {
    tag: 'Deliveries',
    id: 'retryDeliveries',
    summary: 'Retry the deliveries that match a filter: waiting ones are sent now, dead-lettered ones are replayed',
  },
});

import { bulkRoute } from '../replays/by-filter/bulk-route.ts';

/** `POST /v1/deliveries/cancel` */
export const cancelDeliveries = bulkRoute({
  url: '/v1/deliveries/cancel',
  does: 'cancel_deliveries',
  operation: {
    tag: 'Deliveries',
    id: 'cancelDeliveries',
    summary: 'Cancel the open deliveries that match a filter',
  },
});

import { bulkRoute } from '../replays/by-filter/bulk-route.ts';

/** `POST /v1/events/replay` */
export const replayEvents = bulkRoute({
  url: '/v1/events/replay',
  does: 'replay_events',
  operation: {
    tag: 'Events',
    id: 'replayEvents',
    summary: 'Replay the events that match a filter',
  },
});

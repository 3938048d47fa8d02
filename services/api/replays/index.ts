export { type AsOfTokens, createAsOfTokens } from './by-filter/as-of.ts';
export { openChoosing } from './by-filter/choosing.ts';
export { deadLetterReplayRoutes } from './of-dead-letters.ts';
export { deliveryActions } from './of-deliveries.ts';
export { endpointSendings } from './of-endpoints.ts';
export { eventReplayRoutes } from './of-events.ts';
export { showReplayUsage } from './start-replay.ts';
export { createReplayWatch, type ReplayWatch } from './replay-watch.ts';
export { replayRoutes } from './routes.ts';

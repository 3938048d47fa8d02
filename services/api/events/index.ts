export { type EventFilter, eventFilters } from './filters.ts';
export { findIdentifierLead } from './leads.ts';
export { createPolling, type Polling } from './polling/polling.ts';
export { readWait } from './polling/read-wait.ts';
export { sendNoPlace } from './polling/send-no-place.ts';
export { eventExists, findEvent, joinPayload, readEvents } from './queries.ts';
export { eventRoutes } from './routes.ts';
export { type EventRow, isErased, shownColumns, wholeEventOf } from './row.ts';

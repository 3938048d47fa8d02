/** Without the routes: they need rooms that need this one. */
export { type EventFilter, type EventFilterName, eventFilters } from './filters.ts';
export { findIdentifierLead } from './leads.ts';
export { insertPublishedEvents, type PublishedEvent } from './published.ts';
export { type EventWithPayload, findEvent, findMatches, readEvents } from './queries.ts';
export { type EventRow, isErased, shownColumns, wholeEventOf } from './row.ts';

export { hasFilter } from './list-views.ts';
export { eventPages, livePages } from './pages.ts';
export type { Event } from './read.ts';

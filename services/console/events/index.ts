export { hasFilter } from './list-views.ts';
export { eventPages, livePages } from './pages.ts';

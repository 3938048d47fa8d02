export { deadLetterPages } from './pages.ts';
export { deadLetterFilters } from './views.ts';

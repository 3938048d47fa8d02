export { overviewPages } from './pages.ts';
export { card } from './views.ts';

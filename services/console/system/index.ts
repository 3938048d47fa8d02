export { systemPages } from './pages.ts';

export { comparePages } from './pages.ts';

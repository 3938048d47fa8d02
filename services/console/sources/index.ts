export { sourcePages } from './pages.ts';

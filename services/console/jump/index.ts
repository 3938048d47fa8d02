export { jumpPages } from './pages.ts';

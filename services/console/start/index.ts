export { startPages, theme } from './pages.ts';

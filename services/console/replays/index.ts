export { replayPages } from './pages.ts';

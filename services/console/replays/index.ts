export { replayPages } from './pages.ts';
export { isUnderWay } from './views.ts';

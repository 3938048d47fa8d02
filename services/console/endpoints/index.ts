export { endpointPages } from './pages.ts';
export { endpointStatus } from './read.ts';

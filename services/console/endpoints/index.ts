export { endpointPages } from './pages.ts';
export { type Endpoint, type EndpointHealth, endpointStatus, type Retry } from './read.ts';

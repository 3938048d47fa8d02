export { describeOldVersions } from './describe-old-versions.ts';
export { eventTypeRoutes } from './routes.ts';
export { countTypes } from './type-transaction.ts';

export { apiKeyRoutes } from './api-keys.ts';
export { portalLinkRoutes } from './portal-links.ts';
export { countOpenSessions } from './session-rows.ts';
export { meRoutes, sessionRoutes } from './sessions.ts';

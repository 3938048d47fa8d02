export { portalOwnPages } from './pages.ts';
export { accentPath, accentRules, endedPage, portalHeader, portalNavigation } from './views.ts';

export { portalOwnPages } from './pages.ts';
export { accentPath, accentRules, endedPage, portalBase, portalHeader, portalNavigation } from './views.ts';

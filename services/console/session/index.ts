export { createClientLimit, looksPerMinute, signInsPerMinute } from './client-limit.ts';
export {
  hasProbe,
  noSessionCookie,
  probeCookie,
  readCookie,
  returnCookie,
  returnUrlIn,
  sessionCookie,
  setCookie,
  tokenIn,
} from './cookies.ts';
export { signInPage, signInPages } from './pages.ts';
export { createSessionActions, endSession, findSession, type FoundSession, type SessionActions } from './sign-in.ts';

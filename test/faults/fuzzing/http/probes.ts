import type { SoundRequest } from './mutations/mutation.ts';
import type { FuzzedRoute } from './routes.ts';

/** As a probe asks. */
export const soundProbe = (route: FuzzedRoute): SoundRequest => ({
  route,
  method: route.method,
  target: route.path,
  ids: [],
  json: undefined,
  cursor: undefined,
  headers: [
    ['host', new URL(route.url).host],
    ['connection', 'close'],
  ],
});

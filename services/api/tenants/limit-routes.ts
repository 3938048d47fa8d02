import { listLimits } from '#lib/api-contract';
import { type Route, serve } from '../route.ts';
import { limitsOfCaller } from './limits-of-caller.ts';

const list = serve(
  listLimits,
  (deps) =>
    ({ tenant, credential, caller }) =>
      limitsOfCaller(deps, { tenant, credential, key: caller.key }),
);

export const limitRoutes: readonly Route[] = [list];

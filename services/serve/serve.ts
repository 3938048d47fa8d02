import { hostServices, type LoadedService, loadService } from '#lib/service-host';
import * as api from '../api/config.ts';
import { build as buildApi } from '../api/service.ts';
import * as consoleConfig from '../console/config.ts';
import { build as buildConsole } from '../console/service.ts';
import * as dedup from '../dedup/config.ts';
import { build as buildDedup } from '../dedup/service.ts';
import * as dispatcher from '../dispatcher/config.ts';
import { build as buildDispatcher } from '../dispatcher/service.ts';
import * as ingress from '../ingress/config.ts';
import { build as buildIngress } from '../ingress/service.ts';
import * as projector from '../projector/config.ts';
import { build as buildProjector } from '../projector/service.ts';
import { loadServiceEnvironment, type ServiceEnvironment } from './config.ts';
import type { ServedName } from './names.ts';

/** As its main.ts does, with an environment of its own. */
type Load = (env: NodeJS.ProcessEnv) => LoadedService;

const services: Readonly<Record<ServedName, Load>> = {
  ingress: (env) =>
    loadService({
      name: 'ingress',
      fields: ingress.fields,
      build: buildIngress,
      loadConfig: () => ingress.loadConfig(env),
    }),
  dedup: (env) =>
    loadService({
      name: 'dedup',
      fields: dedup.fields,
      build: buildDedup,
      loadConfig: () => dedup.loadConfig(env),
    }),
  dispatcher: (env) =>
    loadService({
      name: 'dispatcher',
      fields: dispatcher.fields,
      build: buildDispatcher,
      loadConfig: () => dispatcher.loadConfig(env),
    }),
  projector: (env) =>
    loadService({
      name: 'projector',
      fields: projector.fields,
      build: buildProjector,
      loadConfig: () => projector.loadConfig(env),
    }),
  api: (env) =>
    loadService({ name: 'api', fields: api.fields, build: buildApi, loadConfig: () => api.loadConfig(env) }),
  console: (env) =>
    loadService({
      name: 'console',
      fields: consoleConfig.fields,
      build: buildConsole,
      loadConfig: () => consoleConfig.loadConfig(env),
    }),
};

/**
 * Runs these services in this process until it is told to stop, or one of them can't be kept running; then it ends the process.
 *
 * @throws AppError config_invalid
 */
export const serve = async (names: readonly ServedName[]): Promise<never> =>
  hostServices('serve', loaders(names), { last: 'ingress' });

/** @throws AppError config_invalid where the process's own settings are not valid, or, when it is loaded, a service's */
export function loaders(names: readonly ServedName[]): (() => LoadedService)[] {
  const environmentOf: ServiceEnvironment = loadServiceEnvironment({ names });
  return names.map((name) => () => services[name](environmentOf(name)));
}

import { configTable, envExample, type Fields, tracingFields } from '#lib/config';
import { fields as apiFields } from '../../services/api/config.ts';
import { fields as cliFields } from '../../services/cli/config.ts';
import { fields as consoleFields } from '../../services/console/config.ts';
import { fields as dedupFields } from '../../services/dedup/config.ts';
import { fields as dispatcherFields } from '../../services/dispatcher/config.ts';
import { fields as ingressFields } from '../../services/ingress/config.ts';
import { fields as projectorFields } from '../../services/projector/config.ts';
import { fields as serveFields } from '../../services/serve/config.ts';

/** The settings of each process, by its folder under services/. */
export const settingsByService = {
  ingress: ingressFields,
  dedup: dedupFields,
  dispatcher: dispatcherFields,
  projector: projectorFields,
  api: apiFields,
  console: consoleFields,
  cli: cliFields,
  serve: serveFields,
};

const isOf = (fields: Fields, env: string): boolean => Object.values(fields).some((field) => field.env === env);

/** The table of settings in the README of a service. The OpenTelemetry variables are the same for all: they have one table in docs/tracing.md. */
export const serviceTable = (fields: Fields): string =>
  configTable(Object.fromEntries(Object.entries(fields).filter(([, field]) => !isOf(tracingFields, field.env))));

/** The table of settings in docs/tracing.md. */
export const tracingTable = (): string => configTable(tracingFields);

/** The text that `.env.example` must have. */
export const wholeEnvExample = (): string => envExample(Object.values(settingsByService));

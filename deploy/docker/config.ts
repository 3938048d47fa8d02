import { readConfig, type serviceFields } from '#lib/config';

type AdminFields = Pick<ReturnType<typeof serviceFields>, 'host' | 'adminPort'>;

/** The address of a service's admin server, from its fields and its environment (default: this process's). */
export const adminConfig = ({ host, adminPort }: AdminFields, env = process.env) =>
  readConfig({ host, adminPort }, env);

import { readConfig, type serviceFields } from '#lib/config';

type AdminFields = Pick<ReturnType<typeof serviceFields>, 'host' | 'adminPort'>;

/** Where a service's admin server listens, by its own fields and its environment: that of this process, unless another is given. */
export const adminConfig = ({ host, adminPort }: AdminFields, env = process.env) =>
  readConfig({ host, adminPort }, env);

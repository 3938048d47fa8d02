import { readConfig, type serviceFields } from '#lib/config';

type AdminFields = Pick<ReturnType<typeof serviceFields>, 'host' | 'adminPort'>;

/** Where a service's admin server listens, by its own fields and the environment that it shares with this process. */
export const adminConfig = ({ host, adminPort }: AdminFields) => readConfig({ host, adminPort }, process.env);

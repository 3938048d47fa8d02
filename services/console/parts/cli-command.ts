import { usualTenant } from '../session/session.ts';

/** A command as it is entered in a checkout. It needs no `--tenant` for the tenant that commands have by default. */
export const cliCommand = (words: string, tenant = usualTenant): string =>
  `./hookline ${words}${tenant === usualTenant ? '' : ` --tenant ${tenant}`}`;

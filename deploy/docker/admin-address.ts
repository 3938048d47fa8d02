import { parseArgs } from 'node:util';
import { adminConfig } from './config.ts';

const everywhere = new Set(['0.0.0.0', '::']);

type AdminFields = Parameters<typeof adminConfig>[0];

/**
 * @param command a process's command line
 * @returns the URLs of its services' admin servers on the same host; empty if it runs no service
 */
export async function adminAddressesOf(command: readonly string[]): Promise<string[]> {
  const program = command.findIndex((word) => /(?:^|\/)services\/[a-z]+\/main\.ts$/.test(word));
  const [, name = ''] = /services\/([a-z]+)\/main\.ts$/.exec(command[program] ?? '') ?? [];
  if (name === '') return [];
  if (name === 'cli') return command[program + 1] === 'serve' ? addressesInOne(command.slice(program + 2)) : [];
  return [addressOf(adminConfig(await fieldsOf(name)))];
}

/** @param args of `hookline serve` */
async function addressesInOne(args: readonly string[]): Promise<string[]> {
  const { values } = parseArgs({ args: [...args], options: { only: { type: 'string' } }, strict: false });
  // Not the services themselves: this runs every few seconds.
  const { chooseNames } = await import('../../services/serve/names.ts');
  const { loadServiceEnvironment } = await import('../../services/serve/config.ts');
  const environmentOf = loadServiceEnvironment();
  const only = typeof values.only === 'string' ? values.only : undefined;
  return Promise.all(
    chooseNames(only).map(async (name) => addressOf(adminConfig(await fieldsOf(name), environmentOf(name)))),
  );
}

const fieldsOf = async (service: string): Promise<AdminFields> =>
  ((await import(`../../services/${service}/config.ts`)) as { fields: AdminFields }).fields;

function addressOf({ host, adminPort }: ReturnType<typeof adminConfig>): string {
  const name = everywhere.has(host) ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${adminPort}`;
}

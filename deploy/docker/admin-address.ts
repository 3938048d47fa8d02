import { adminConfig } from './config.ts';

const everywhere = new Set(['0.0.0.0', '::']);

/**
 * @param command a process, as its words
 * @returns where its admin server can be asked from the same host, as a URL; undefined where it is no service
 */
export async function adminAddressOf(command: readonly string[]): Promise<string | undefined> {
  const service = command.map((word) => /(?:^|\/)services\/([a-z]+)\/main\.ts$/.exec(word)?.[1]).find(Boolean);
  if (service === undefined || service === 'cli') return undefined;
  const { fields } = (await import(`../../services/${service}/config.ts`)) as {
    fields: Parameters<typeof adminConfig>[0];
  };
  const { host, adminPort } = adminConfig(fields);
  const name = everywhere.has(host) ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${adminPort}`;
}

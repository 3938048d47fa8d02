/**
 * The settings of an endpoint that were made for one host, and go to whatever host its URL names: one definition for whoever changes the URL.
 * A customer in the portal can't change it while there is any of them; everybody else sends the credentials among them again where the origin
 * changes, so that a key that may change where an endpoint leads doesn't learn by that what it sends. The signing secret is not among them:
 * it is never sent.
 */
import { isSensitiveHeader } from './endpoint-headers.ts';
import { secretMask } from './private-settings.ts';
import type { EndpointSettings } from './settings.ts';

/** The body of a PATCH. */
type Patch = Readonly<Record<string, unknown>>;

interface HostBound {
  /** For the documentation: the part that reaches the host. */
  goes: string;
  /** For the documentation: the part that a change of the origin needs. */
  again: string;
  isSet(settings: EndpointSettings): boolean;
  /** The credentials in it that the patch doesn't give again, as JSON pointers into the body. */
  kept(settings: EndpointSettings, patch: Patch): string[];
}

export const goesWithHost = {
  headers: {
    goes: 'the headers, with their values',
    again: 'each header whose name counts as secret, with its value',
    isSet: ({ headers = {} }) => Object.keys(headers).length > 0,
    kept({ headers = {} }, patch) {
      const given = new Set(
        Object.entries(objectIn(patch, 'headers'))
          .filter(([, value]) => value !== secretMask)
          .map(([name]) => name.toLowerCase()),
      );
      return Object.keys(headers)
        .filter((name) => isSensitiveHeader(name) && !given.has(name.toLowerCase()))
        .map((name) => `/headers/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
    },
  },
  pass_headers: {
    goes: 'the provider’s headers, with credentials such as `Authorization` where they are named',
    again: '`pass_headers`, if it names a header that counts as secret',
    isSet: ({ pass_headers: rules = [] }) => rules.length > 0,
    kept: ({ pass_headers: rules = [] }, patch) =>
      rules.some(isSensitiveHeader) && !Object.hasOwn(patch, 'pass_headers') ? ['/pass_headers'] : [],
  },
  proxy: {
    goes: 'nothing of it to the host; but the proxy decides on the address',
    again: 'nothing: its credentials stay with the proxy',
    isSet: ({ proxy }) => proxy !== undefined,
    kept: () => [],
  },
  client_certificate: {
    goes: 'the certificate, by which the host takes the request for yours',
    again: '`client_certificate` with its `private_key`',
    isSet: ({ client_certificate: certificate }) => certificate !== undefined,
    kept: ({ client_certificate: certificate }, patch) =>
      certificate !== undefined && !Object.hasOwn(objectIn(patch, 'client_certificate'), 'private_key')
        ? ['/client_certificate/private_key']
        : [],
  },
} as const satisfies Partial<Record<keyof EndpointSettings, HostBound>>;

export type HostBoundSetting = keyof typeof goesWithHost;

const all = Object.entries<HostBound>(goesWithHost);

/** The settings that would go along with the URL. */
export const settingsForHost = (settings: EndpointSettings): HostBoundSetting[] =>
  all.filter(([, { isSet }]) => isSet(settings)).map(([name]) => name as HostBoundSetting);

/**
 * The credentials that would go to another origin without having been given for it.
 *
 * @param settings after the change
 * @returns JSON pointers into the body of the change
 */
export const credentialsKept = (settings: EndpointSettings, patch: Patch): string[] =>
  all.flatMap(([, { kept }]) => kept(settings, patch));

function objectIn(patch: Patch, name: string): object {
  const value = patch[name];
  return typeof value === 'object' && value !== null ? value : {};
}

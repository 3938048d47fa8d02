export interface RegistryAddress {
  /** The URL without credentials: it may be shown. */
  url: string;
  credentials: { username: string; password: string } | undefined;
}

/** @param given a URL, which may contain the registry's user and password: `https://user:password@host` */
export function registryAddress(given: string): RegistryAddress {
  const url = new URL(given);
  const [username, password] = [url.username, url.password].map(decodeURIComponent) as [string, string];
  url.username = '';
  url.password = '';
  return {
    url: url.href.replace(/\/$/, ''),
    credentials: username === '' ? undefined : { username, password },
  };
}

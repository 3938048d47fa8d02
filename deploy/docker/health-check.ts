import { readFileSync } from 'node:fs';
import { adminAddressesOf } from './admin-address.ts';

/**
 * The image's HEALTHCHECK: whether the services of the container's first process are ready (`/readyz`). A container that runs something
 * else, such as the setup, is healthy while it runs.
 */
const command = readFileSync('/proc/1/cmdline', 'utf8').split('\0');
for (const address of await adminAddressesOf(command)) {
  const { status } = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(4_000) });
  if (status !== 200) throw new Error(`${address}/readyz answers ${status}`);
}

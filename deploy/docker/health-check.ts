import { readFileSync } from 'node:fs';
import { adminAddressesOf } from './admin-address.ts';

/**
 * The image's HEALTHCHECK: whether the service that is this container's first process is ready for work (`/readyz`), or all services that are. A
 * container that runs something else, such as the setup, is healthy for as long as it runs.
 */
const command = readFileSync('/proc/1/cmdline', 'utf8').split('\0');
for (const address of await adminAddressesOf(command)) {
  const { status } = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(4_000) });
  if (status !== 200) throw new Error(`${address}/readyz answers ${status}`);
}

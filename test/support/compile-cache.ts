import { fileURLToPath } from 'node:url';

/** The environment of a process of our own. Half of what it takes to start one is stripping its types and compiling it. */
export const withCompileCache = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../.hookline/compile-cache', import.meta.url)),
};

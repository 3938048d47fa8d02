import { compileCacheDir } from '#deploy/local/paths.ts';

/** The environment of a process of our own. Half of what it takes to start one is stripping its types and compiling it. */
export const withCompileCache = { NODE_COMPILE_CACHE: compileCacheDir };

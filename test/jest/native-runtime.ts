/**
 * jest's `runtime`: loads modules by Node's own loader, as production does, instead of compiling each for a context of its own. Modules stay
 * loaded for all files that a worker runs, one after the other. A file is imported once: jest has new workers for each run.
 *
 * Only `jest.mock` and coverage, which need jest's own loader, are lost; all else is jest's: circus, workers, reporters, `-t`, time-outs.
 */
import { createRequire, enableCompileCache } from 'node:module';
import { pathToFileURL } from 'node:url';
import { withCompileCache } from '../support/compile-cache.ts';

enableCompileCache(withCompileCache.NODE_COMPILE_CACHE);

const require = createRequire(import.meta.url);

/** Where jest-circus keeps its listeners: those of one file must not hear of the next. */
const circusHandlers = Symbol.for('EVENT_HANDLERS');

const nothing = (): void => undefined;

export default class NativeRuntime {
  readonly unstable_shouldLoadAsEsm = (): boolean => true;
  readonly unstable_importModule = (path: string): Promise<unknown> => import(pathToFileURL(path).href);
  readonly requireModule = (path: string): unknown => require(path);

  /** Only jest-circus is asked for. It holds the tests of one file, and can't forget them: each file loads its own. */
  requireInternalModule(path: string): unknown {
    Reflect.deleteProperty(globalThis, circusHandlers);
    Reflect.deleteProperty(require.cache, path);
    return require(path);
  }

  /** Nothing is compiled: positions are those of the files. */
  getSourceMaps(): ReadonlyMap<string, string> {
    return new Map();
  }

  getAllCoverageInfoCopy(): undefined {
    return undefined;
  }

  // Globals are those of the environment, and everything may be loaded at any time.
  readonly setGlobalsForRuntime = nothing;
  readonly enterTestCode = nothing;
  readonly leaveTestCode = nothing;
  readonly teardown = nothing;
}

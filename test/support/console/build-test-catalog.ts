import type { AppDeps } from '../../../services/console/app.ts';
import { buildTestConsole } from './build-test-console.ts';
import { serveEventTypes } from './fake-event-types.ts';
import { plainSettings } from './plain-settings.ts';

const catalogSettings = { tenant: 'acme', key: 'hk_of_the_catalog', staleSeconds: 86_400, thinWords: 100 };

/** The catalog alone, before an API that knows some event types. */
export function buildTestCatalog(given: Partial<AppDeps> = {}) {
  const built = buildTestConsole({
    settings: { ...plainSettings, faces: ['catalog'] },
    catalog: catalogSettings,
    ...given,
  });
  return { ...built, types: serveEventTypes(built.api) };
}

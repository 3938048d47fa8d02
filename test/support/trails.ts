import { createTrails } from '#lib/signatures';

/** The trails of an installation for tests. */
export const testTrails = createTrails([{ id: 'test', key: Buffer.alloc(32, 3) }]);

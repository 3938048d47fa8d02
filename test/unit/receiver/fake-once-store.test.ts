import { describeOnceStore } from '../../support/once-store-conformance.ts';
import { createFakeStore, type Entries } from './fake-once-store.ts';

describe('the fake store', () => {
  const entries: Entries = new Map();
  describeOnceStore((options) => createFakeStore(options, entries));
});

import { describeBorder } from './console/border.ts';
import { type Scene, setScene } from './console/console-scene.ts';
import { describeFinding } from './console/finding.ts';
import { describeHostileText } from './console/hostile.ts';
import { describeNumbers } from './console/numbers.ts';
import { describePayloads } from './console/payloads.ts';
import { describeReplaying } from './console/replaying.ts';
import { describeSafety } from './console/safety.ts';
import { describeSettings } from './console/settings.ts';
import { describeStatuses } from './console/statuses.ts';
import { describeStoresAway } from './console/stores-away.ts';

/** The console over a whole Hookline, without a browser: statuses, and what the HTML says. In a browser: console-browser.night.test.ts. */
let scene: Scene;
beforeAll(async () => {
  scene = await setScene({ link: true });
});
afterAll(() => scene?.world.close());
afterEach(() => scene.world.pipeline.assertNoSurprise());

describe('the status of a page', () => describeStatuses(() => scene));
describe('the border between tenants', () => describeBorder(() => scene));
describe('sessions and safety', () => describeSafety(() => scene));
describe('a payload', () => describePayloads(() => scene));
describe('finding', () => describeFinding(() => scene));
describe('numbers', () => describeNumbers(() => scene));
describe('settings', () => describeSettings(() => scene));
describe('replaying', () => describeReplaying(() => scene));
describe('what others write', () => describeHostileText(() => scene));
describe('stores', () => describeStoresAway(() => scene));

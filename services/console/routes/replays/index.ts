import { cancelReplay } from './cancel.ts';
import { replayItems } from './items.ts';
import { liveReplay } from './live-replay.ts';
import { newReplay } from './new.ts';
import { replays } from './replays.ts';
import { replay } from './show.ts';

/** `T/replays`, and what is below it. */
export const replayPages = [replays, newReplay, replay, cancelReplay, replayItems, liveReplay];

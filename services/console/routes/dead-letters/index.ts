import { deadLetters } from './dead-letters.ts';
import { replayDeadLetter } from './replay-one.ts';
import { deadLetter } from './show.ts';

/** `T/dead-letters`, and what is below it. */
export const deadLetterPages = [deadLetters, deadLetter, replayDeadLetter];

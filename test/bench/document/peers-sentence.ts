import { type Figure, judgedOf, shortNumber } from '../support/figure.ts';
import type { KeptReport } from '../support/kept-reports.ts';

const start = '[Measured beside Svix and Outpost](docs/speed.md#peers), ';
const line = /\[Measured beside Svix and Outpost\]\(docs\/speed\.md#peers\), .*$/m;

/**
 * README's sentence about cost, from the recorded comparison. A system that was not measured is left out.
 *
 * @param readme its text, which has the sentence at the end of a line
 * @throws Error if it has none
 */
export function withPeersSentence(readme: string, report: KeptReport): string {
  if (!line.test(readme)) throw new Error(`README.md has no sentence that begins with ${start}`);
  return readme.replace(line, () => start + sentenceOf(report));
}

function sentenceOf({ figures }: KeptReport): string {
  const [webhook, event] = [costsOf(figures, 'hookline-webhooks'), costsOf(figures, 'hookline-events')];
  const [oneWebhook, oneEvent] = [costsOf(figures, 'hookline-one-webhooks'), costsOf(figures, 'hookline-one-events')];
  const [low, full] = webhook;
  const inOne =
    oneWebhook.length < 2 || oneEvent.length < 2
      ? ''
      : `; in one process ${oneWebhook.join(' and ')}, and ${oneEvent.join(' and ')}`;
  return `a webhook takes ${low} times the cheaper peer's processor time at 100 a second and ${full} times at full load, an event ${event.join(' and ')}${inOne}.`;
}

/** At a hundred a second and at full load, times the cheaper peer's. */
const costsOf = (figures: readonly Figure[], system: string): string[] =>
  ['processor time at 100 a second', 'processor time, 64 connections'].flatMap((name) => {
    const figure = figures.find((each) => each.name === `${system}: ${name}`);
    return figure?.ceiling === undefined ? [] : [shortNumber(judgedOf(figure).median)];
  });

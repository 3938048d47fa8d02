import { html, type Html } from '#lib/html';
import { count } from '../../parts/count.ts';
import { duration } from '../../parts/duration.ts';
import { time } from '../../parts/time.ts';
import { plural } from '../../parts/words.ts';
import { doneWord, isOpen, isUnderWay, type ReplayProgress } from '../../routes/replays/replay.ts';
import { failureWord, replayBadge } from './replay-words.ts';

/** How far a replay is: on its page, and what islands/live-replay.ts puts there while it runs. @param href its page */
export function replayProgress(replay: ReplayProgress, href: string): Html {
  const { status, matched, replayed, failed, remaining, left_out: leftOut } = replay;
  const done = replayed + failed;
  return html`<div class="replay-progress" data-status="${status}"${isOpen(replay) && html` data-open`}>
<p class="replay-state">${replayBadge(replay)} <span>${stateWords(replay)}</span></p>
<progress aria-label="Items that are done" max="${Math.max(1, matched)}" value="${matched === 0 && !isUnderWay(replay) ? 1 : done}"></progress>
<dl class="figures">
${figure('Matched', matched)}${figure(capital(doneWord(replay)), replayed)}${figure('Could not be sent', failed, failed > 0 && `${href}/items?status=failed`)}${figure('Left', remaining)}${leftOut > 0 && figure('Left out', leftOut)}
</dl>
${replay.outcome !== null && replayed > 0 && outcomeFigures(replay.outcome, href)}
${replay.sent_at !== null && replay.ended_at === null && html`<p class="muted">All sent ${time(replay.sent_at)}.</p>`}
${replay.ended_at !== null && html`<p class="muted">Ended ${time(replay.ended_at)}.</p>`}
${leftOut > 0 && html`<p class="muted">Left out: counted by the preview, but matches no longer, or is part of another replay.</p>`}
${failed > 0 && failures(replay)}</div>`;
}

/** `sent` alone says nothing about what became of it. */
const outcomeFigures = (
  { delivered, waiting, dead_lettered: dead, cancelled }: NonNullable<ReplayProgress['outcome']>,
  href: string,
): Html => html`<h2>What became of it</h2><dl class="figures">
${figure('Delivered', delivered)}${figure('Waiting', waiting)}${figure('Dead-lettered', dead, dead > 0 && `${href}/items?outcome=dead_lettered`)}${cancelled > 0 && figure('Cancelled', cancelled)}
</dl>`;

const figure = (label: string, value: number, href: string | false = false): Html =>
  html`<div><dt>${label}</dt><dd>${href === false ? count(value) : html`<a href="${href}">${count(value)}</a>`}</dd></div>`;

function stateWords(replay: ReplayProgress): string {
  const { status, matched, replayed, failed, remaining, rate_per_second: rate, ahead } = replay;
  const so = `${count(replayed + failed)} of ${count(matched)} done`;
  switch (status) {
    case 'queued':
      return `Waits for ${plural(ahead, 'earlier replay')} of this tenant to end.`;
    case 'running':
      if (ahead > 0) return `${so}; waits for ${plural(ahead, 'earlier replay')} of this tenant to end.`;
      return rate === null || remaining === 0
        ? `${so}.`
        : `${so}, about ${duration(remaining / rate)} left at ${rate} a second.`;
    case 'sent':
      return `All is sent; ${plural(replay.outcome?.waiting ?? 0, 'delivery', 'deliveries')} still open.`;
    case 'completed':
      return matched === 0 ? 'Nothing was left to do.' : `${so}.`;
    case 'partial':
      return `${so}. More matched than its limit allowed.`;
    case 'cancelled':
      return `${so} when it was cancelled; ${count(remaining)} left as they were${replay.operation === null ? ': dead letters' : ''}.`;
  }
}

const failures = ({ operation, failures: reasons }: ReplayProgress): Html =>
  html`<h2>Could not be sent</h2><ul>${Object.entries(reasons).map(([reason, n]) => html`<li>${count(n)}: ${failureWord(reason)}</li>`)}</ul>
${operation === null && html`<p class="muted">These could not be sent, and are dead letters as before.</p>`}`;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

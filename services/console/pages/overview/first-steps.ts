import { html, type Html } from '#lib/html';
import { cliCommand } from '../../parts/cli-command.ts';
import { codeBlock } from '../../parts/code-block.ts';
import { statusBadge } from '../../parts/status-badge.ts';
import { namesIn, type Overview } from '../../routes/overview/ask-overview.ts';

interface FirstSteps {
  t: string;
  tenant: string;
  overview: Overview;
  mayWrite: boolean;
}

interface Step {
  title: string;
  isDone: boolean;
  text: string;
  command: string;
  /** The page that does the same. */
  link: { href: string; label: string };
}

/** How to begin, until there is an endpoint and an event. Nothing where that can't be told. */
export function firstSteps({ t, tenant, overview, mayWrite }: FirstSteps): Html | null {
  const { endpoints, sources, newest } = overview;
  if (!endpoints.ok || !newest.ok) return null;
  const names = namesIn(overview);
  const hasEndpoint = names.endpoints.names.size > 0;
  const hasEvent = newest.value.length > 0;
  if (hasEndpoint && hasEvent) return null;
  const steps: readonly Step[] = [
    {
      title: 'Say where webhooks come from',
      isDone: hasEvent || (sources.ok && sources.value.length > 0),
      text: 'A source has a URL to give to the provider, and checks its signatures.',
      command: cliCommand('sources create --name Stripe --scheme stripe', tenant),
      link: { href: `${t}/sources/new`, label: 'New source' },
    },
    {
      title: 'Say where events go',
      isDone: hasEndpoint,
      text: 'An endpoint is a URL that events are sent to, signed.',
      command: cliCommand('endpoints create --url https://example.com/hooks', tenant),
      link: { href: `${t}/endpoints/new`, label: 'New endpoint' },
    },
    {
      title: 'Send the first event',
      isDone: hasEvent,
      text: 'Let the provider send one, or publish one of your own. It is in the list of events at once.',
      command: cliCommand(`events publish --type order.paid --payload '{"order":1}'`, tenant),
      link: { href: `${t}/events`, label: 'Events' },
    },
  ];
  return html`<section class="card first-steps"><h2>First steps</h2><ol>${steps.map((step) => shownStep(step, mayWrite))}</ol></section>`;
}

const shownStep = ({ title, isDone, text, command, link }: Step, mayWrite: boolean): Html =>
  html`<li><h3>${title} ${isDone && statusBadge('completed', 'done')}</h3>${!isDone && html`<p>${text}</p>${codeBlock(command)}${mayWrite && html`<p><a href="${link.href}">${link.label}</a></p>`}`}</li>`;

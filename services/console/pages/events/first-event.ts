import { html } from '#lib/html';
import { cliCommand } from '../../parts/cli-command.ts';
import type { emptyState } from '../../parts/empty-state.ts';
import type { Source } from './source-names.ts';

/** The next step where no event has come yet: a command that works. */
export function firstEvent({
  t,
  tenant,
  sources,
  mayPublish,
}: {
  t: string;
  tenant: string;
  sources: readonly Source[];
  mayPublish: boolean;
}): Parameters<typeof emptyState>[0] {
  const [source] = sources;
  const buttons = html`<div class="buttons">${mayPublish && html`<a class="button primary" href="${t}/events/new">Publish an event</a>`}
<a class="button" href="${t}/sources">${source === undefined ? 'Create a source' : 'See the sources'}</a></div>`;
  if (source === undefined)
    return {
      title: 'No event yet',
      body: 'Webhooks arrive through a source, which has the address for their provider. Or publish an event of your own: it is sent to every endpoint that subscribes to its type.',
      command: cliCommand(`events publish --type order.paid --payload '{"order":"A-1"}'`, tenant),
      actions: buttons,
    };
  return {
    title: 'No event yet',
    body: html`Give the provider the address of <bdi>${source.name}</bdi>: <code>${source.ingest_url}</code>. Or send a webhook to it yourself, signed as the provider would:`,
    command: cliCommand(`send ${source.id} --secret '…'`, tenant),
    actions: buttons,
  };
}

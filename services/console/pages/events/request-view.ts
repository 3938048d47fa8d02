import { html, type Html } from '#lib/html';
import type { EventRequest } from '../../routes/events/event.ts';

const masked = '***';

/** The request that a webhook came with: headers in their order, spelled and repeated as the sender did. */
export function requestView(request: EventRequest | undefined): Html {
  if (request === undefined) return html`<p class="note">The request has been removed: its retention time is over.</p>`;
  const { method, path, client_address: address, headers, truncated } = request;
  if (method === null || headers === null)
    return html`<p class="note">This event did not come by a request of a provider, or before requests were kept.</p>`;
  const isMasked = headers.some(({ value }) => value === masked) || path?.includes(masked) === true;
  const lines = [`${method} ${path ?? ''}`, ...headers.map(({ name, value }) => `${name}: ${value}`)];
  return html`${address !== null && html`<p class="muted">From <code>${address}</code></p>`}
<pre class="code" tabindex="0">${lines.join('\n')}</pre>
${isMasked && html`<p class="muted"><code>${masked}</code> stands for a value that may be a secret, such as a signature: it is not stored.</p>`}
${truncated && html`<p class="muted">There was more than is kept: 2,048 characters of the path, and 8 KiB of headers.</p>`}`;
}

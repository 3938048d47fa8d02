import { html, type Html } from '#lib/html';

/** Where a preview begins. */
export const bulkChoice = (t: string): Html => html`<p>Each begins with a preview of what it would take.</p>
<ul class="links">
<li><a href="${t}/replays/new?what=dead_letters">Replay dead letters</a></li>
<li><a href="${t}/replays/new?what=events">Replay events</a></li>
<li><a href="${t}/replays/new?what=retry">Retry deliveries</a></li>
<li><a href="${t}/replays/new?what=cancel">Cancel deliveries</a></li>
</ul>`;

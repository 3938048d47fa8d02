import { html } from '#lib/html';

export const brandMark = html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8"/><path d="M11 7v9.5a5.5 5.5 0 0 0 11 0V15m0 0-3 3m3-3 3 3"/></svg>`;

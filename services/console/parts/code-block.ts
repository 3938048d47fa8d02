import { html, type Html } from '#lib/html';

/** A command or other text that is copied as a whole. */
export const codeBlock = (text: string): Html =>
  html`<div class="code-block"><pre class="code" tabindex="0">${text}</pre><copy-button data-text="${text}" data-label="Copy"></copy-button></div>`;

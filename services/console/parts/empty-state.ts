import { html, type Html } from '#lib/html';
import { codeBlock } from './code-block.ts';

interface EmptyState {
  /** The sentence that says what there is not yet. */
  title: string;
  body?: Html | string;
  /** The next command to enter. */
  command?: string;
  actions?: Html;
}

/** A list in which there is nothing yet: how to begin. */
export const emptyState = ({ title, body, command, actions }: EmptyState): Html =>
  html`<div class="empty"><h2>${title}</h2>${body && html`<p>${body}</p>`}${command && codeBlock(command)}${actions}</div>`;

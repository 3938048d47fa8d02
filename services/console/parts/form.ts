import { html, type Html } from '#lib/html';

/** The source of keys: the context of a page. */
interface KeySource {
  newKey(): string;
}

/** The name of the field with the form's Idempotency-Key. */
export const keyField = 'idempotency_key';

export const hiddenKey = ({ newKey }: KeySource): Html =>
  html`<input type="hidden" name="${keyField}" value="${newKey()}">`;

interface Form {
  action: string;
  /** The text of the button. */
  submit: string;
  /** Fields between. */
  body?: Html;
  /** Fields that are not shown. */
  hidden?: Readonly<Record<string, string | undefined>>;
  /** `danger`: cannot be undone. `quiet`: one of many. */
  tone?: 'primary' | 'danger' | 'quiet' | 'plain';
  /** A button in a row of buttons, not a form of fields. */
  isInline?: boolean;
}

/**
 * A form that changes something. Its key is made when the page is: sent twice, by a double click or a reload, it has its effect once. After a
 * refusal the page is made again, with a new key.
 *
 * @param context the page's
 */
export const postForm = (
  context: KeySource,
  { action, submit, body, hidden = {}, tone = 'primary', isInline = false }: Form,
): Html =>
  html`<form method="post" action="${action}"${isInline ? html` class="inline"` : html` class="stack"`}>${hiddenKey(context)}
${Object.entries(hidden).map(([name, value]) => (value === undefined ? null : html`<input type="hidden" name="${name}" value="${value}">`))}
${body}<button class="${tone}">${submit}</button></form>`;

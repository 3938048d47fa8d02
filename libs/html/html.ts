/** Markup that needs no escaping. Only the `html` template makes it: its literal parts are code, everything else is escaped. */
export class Html {
  readonly #markup: string;

  private constructor(markup: string) {
    this.#markup = markup;
  }

  /** `html` alone calls this. */
  static ofTemplate(strings: readonly string[], values: readonly HtmlValue[]): Html {
    let markup = strings[0] ?? '';
    values.forEach((value, index) => (markup += markupOf(value) + (strings[index + 1] ?? '')));
    return new Html(markup);
  }

  /** Also false for an object of the same shape, so that no JSON can pass for markup. */
  static is(value: unknown): value is Html {
    return typeof value === 'object' && value !== null && #markup in value;
  }

  toString(): string {
    return this.#markup;
  }
}

/** Values that a template may hold. `undefined`, `null` and `false` render nothing, so `condition && html…` works. */
export type HtmlValue = Html | string | number | bigint | null | undefined | false | readonly HtmlValue[];

/**
 * Markup from a template. Values are escaped for text and for attributes within double quotes, unless they are markup themselves; lists are
 * joined. An attribute without quotes is not safe: write `title="${value}"`.
 */
export const html = (strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html =>
  Html.ofTemplate(strings, values);

function markupOf(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return '';
  if (Html.is(value)) return value.toString();
  if (Array.isArray(value)) return (value as readonly HtmlValue[]).map(markupOf).join('');
  return escapeHtml(String(value));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For text, and for values of attributes within quotes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => entities[char] ?? char);

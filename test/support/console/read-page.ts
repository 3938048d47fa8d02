/** Reads an HTML page of the console: enough of it to be judged by, and to be used as somebody with a browser would. */

export interface Page {
  title: string;
  /** The text of each h1. */
  headings: readonly string[];
  /** Where its links lead. */
  links: readonly string[];
  forms: readonly Form[];
  /** The readable text, spaces made one. */
  text: string;
  /** Rows of tables, without their headers. */
  rows: number;
}

export interface Form {
  method: string;
  action: string;
  /** As they are sent if nothing is changed. */
  fields: ReadonlyMap<string, string>;
  /** All names, also of boxes that are not ticked. */
  names: readonly string[];
  buttons: readonly string[];
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

const unescapeHtml = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (whole, name: string) => entities[name] ?? whole);

export const textOf = (markup: string): string =>
  unescapeHtml(markup.replaceAll('<wbr>', '').replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();

export function readPage(markup: string): Page {
  const main = /<main[^>]*>([\s\S]*)<\/main>/.exec(markup)?.[1] ?? '';
  return {
    title: textOf(/<title>([\s\S]*?)<\/title>/.exec(markup)?.[1] ?? ''),
    headings: [...markup.matchAll(/<h1[^>]*>([\s\S]*?)<\/h1>/g)].map(([, inner = '']) => textOf(inner)),
    links: [...markup.matchAll(/<a\s[^>]*?href="([^"]*)"/g)].map(([, href = '']) => unescapeHtml(href)),
    forms: [...markup.matchAll(/<form([^>]*)>([\s\S]*?)<\/form>/g)].map(([, attributes = '', inner = '']) =>
      readForm(attributes, inner),
    ),
    text: textOf(main),
    rows: (main.match(/<tr(?=[\s>])/g) ?? []).length - (main.match(/<thead/g) ?? []).length,
  };
}

function readForm(attributes: string, inner: string): Form {
  const fields = new Map<string, string>();
  const names = new Set<string>();
  for (const [tag, kind = ''] of inner.matchAll(/<(input|textarea|select)(?=[\s>])[^>]*>/g)) {
    const name = attribute(tag, 'name');
    if (name === undefined || /\sdisabled/.test(tag)) continue;
    names.add(name);
    // The first of several with one name that has a value.
    if ((fields.get(name) ?? '') !== '') continue;
    const after = inner.slice(inner.indexOf(tag) + tag.length);
    if (kind === 'textarea')
      fields.set(name, unescapeHtml(after.slice(0, after.indexOf('</textarea>')).replace(/^\n/, '')));
    else if (kind === 'select') fields.set(name, chosenOf(after.slice(0, after.indexOf('</select>'))));
    else if (!['checkbox', 'radio'].includes(attribute(tag, 'type') ?? '') || /\schecked/.test(tag))
      fields.set(name, attribute(tag, 'value') ?? '');
  }
  return {
    method: (attribute(attributes, 'method') ?? 'get').toUpperCase(),
    action: attribute(attributes, 'action') ?? '',
    fields,
    names: [...names],
    buttons: [...inner.matchAll(/<button[^>]*>([\s\S]*?)<\/button>/g)].map(([, text = '']) => textOf(text)),
  };
}

function chosenOf(options: string): string {
  const tags = [...options.matchAll(/<option[^>]*>/g)].map(([tag]) => tag);
  return attribute(tags.find((tag) => /\sselected/.test(tag)) ?? tags[0] ?? '', 'value') ?? '';
}

function attribute(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(` ${tag}`)?.[1];
  return value === undefined ? undefined : unescapeHtml(value);
}

import { html, type Html } from '#lib/html';
import type { Version } from '../../catalog/catalog.ts';
import { indentedJson } from '../../parts/indented-json.ts';
import { jsonText } from '../../parts/json-text.ts';
import { table } from '../../parts/table.ts';

/** The payload as a version describes it: its fields, its schema and an example, as they were written. */
export function versionView(version: Version): Html {
  const { schemaText, exampleText, example, example_generated: isGenerated } = version;
  const fields = version.fields ?? [];
  return html`${
    fields.length > 0 &&
    html`<section class="card"><h2>Fields</h2>${version.fields_truncated && html`<p class="muted">The first ${fields.length}: the schema has more.</p>`}${table(
      {
        caption: 'Fields of the payload',
        columns: [
          { header: 'Field', cell: ({ path }) => html`<code>${path}</code>` },
          { header: 'Type', cell: ({ type }) => type },
          { header: 'Required', cell: ({ required }) => (required ? 'yes' : 'no') },
          { header: 'Description', cell: ({ description }) => description },
        ],
        rows: fields,
      },
    )}</section>`
  }
${
  example !== null &&
  html`<section class="card"><h2>Example</h2>${isGenerated && html`<p class="muted">Made from the schema.</p>`}${jsonText(indentedJson(exampleText))}</section>`
}
<section class="card"><h2>Schema</h2>${jsonText(indentedJson(schemaText))}</section>`;
}

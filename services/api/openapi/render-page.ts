/** The document as a page that people read: HTML that loads nothing, and runs nothing. */
import { escapeHtml } from '#lib/html';
import type { OpenApiDocument } from './build-document.ts';
import type { DocumentedOperation } from './describe-operation.ts';
import { prose, renderSchema } from './render-schema.ts';
import type { DeliveryOperation } from './webhooks/webhooks.ts';

export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
};

const style = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 20%, transparent) }
body { font: 1rem/1.55 system-ui, sans-serif; margin: 0; display: grid; grid-template-columns: 19rem minmax(0, 60rem) }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; box-sizing: border-box; border-right: 1px solid var(--line); font-size: .9rem }
nav ul { list-style: none; padding: 0 } nav a { text-decoration: none; color: inherit } nav h2 { font-size: .9rem; margin: 1rem 0 0 }
main { padding: 1rem 2rem } section { border-top: 1px solid var(--line); padding-bottom: 1rem }
code, pre { font-family: ui-monospace, monospace; font-size: .9em } pre { overflow: auto; padding: .75rem; border: 1px solid var(--line) }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line) }
h3 code { font-weight: 600 } .method { display: inline-block; min-width: 4.2em } .muted { opacity: .7 }
@media (max-width: 50rem) { body { display: block } nav { position: static; height: auto } }
`;

interface Placed {
  method: string;
  path: string;
  operation: DocumentedOperation;
}

export function renderPage(document: OpenApiDocument): string {
  const { info, tags, paths, webhooks, components } = document;
  const placed: Placed[] = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const groups = tags.map((tag) => ({
    ...tag,
    of: placed.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const base = document.servers[0]?.url ?? '/';
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(info.title)} API</title>
<style>${style}</style>
<nav aria-label="Contents">
<strong>${escapeHtml(info.title)} API</strong>
${groups.map(({ name, of }) => `<h2>${escapeHtml(name)}</h2>\n<ul>${of.map(entry).join('')}</ul>`).join('\n')}
<h2><a href="#webhooks">Webhooks</a></h2>
<h2><a href="#schemas">Schemas</a></h2>
</nav>
<main>
<h1>${escapeHtml(info.title)} API, ${escapeHtml(info.version)}</h1>
<p>${prose(info.description)}</p>
<p><a href="openapi.json">openapi.json</a> is the same for programs.</p>
${groups
  .map(
    ({ name, description, of }) =>
      `<h2>${escapeHtml(name)}</h2>\n<p>${prose(description)}</p>\n${of.map((one) => operationSection(one, base, components)).join('\n')}`,
  )
  .join('\n')}
<h2 id="webhooks">Webhooks</h2>
<p>${prose('What endpoints get: any event by the first, and the events about Hookline itself by the others.')}</p>
${Object.entries(webhooks)
  .map(([name, { post }]) => webhookSection(name, post, components))
  .join('\n')}
<h2 id="schemas">Schemas</h2>
${Object.entries(components['schemas'] ?? {})
  .map(([name, schema]) => `<section id="schema-${name}"><h3>${name}</h3>${renderSchema(schema)}</section>`)
  .join('\n')}
</main>
</html>
`;
}

const entry = ({ method, path, operation }: Placed): string =>
  `<li><a href="#${operation.operationId}" title="${escapeHtml(operation.summary)}"><code><span class="method">${method}</span>${escapeHtml(path)}</code></a></li>`;

function operationSection(
  { method, path, operation }: Placed,
  base: string,
  components: OpenApiDocument['components'],
): string {
  const { operationId, summary, description, security, parameters, requestBody, responses } = operation;
  const scope = security[0]?.['key']?.[0];
  const [body] = Object.values(requestBody?.content ?? {});
  return `<section id="${operationId}">
<h3><code>${method} ${escapeHtml(path)}</code></h3>
<p>${prose(summary)}.${description === undefined ? '' : ` ${prose(description)}`}</p>
<p class="muted">${scope === undefined ? 'Needs no key.' : `Scope: <code>${scope}</code>`}</p>
<pre>${escapeHtml(curl({ method, path, operation }, base))}</pre>
${parameterRows('Parameters', parameters, components)}
${body === undefined ? '' : `<h4>Body</h4>${renderSchema(body.schema)}`}
${rows('Answers', Object.entries(responses).map(answerRow))}
</section>`;
}

function webhookSection(
  name: string,
  { operationId, summary, description, parameters, requestBody, responses }: DeliveryOperation,
  components: OpenApiDocument['components'],
): string {
  const [body] = Object.values(requestBody?.content ?? {});
  return `<section id="${operationId}">
<h3><code>${escapeHtml(name)}</code></h3>
<p>${prose(summary)}.${description === undefined ? '' : ` ${prose(description)}`}</p>
${parameterRows('Headers', parameters, components)}
<h4>Body</h4>${renderSchema(body?.schema ?? {})}
${rows('Answers', Object.entries(responses).map(answerRow))}
</section>`;
}

const rows = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `<h4>${title}</h4><table>${lines.join('')}</table>`;

const parameterRows = (title: string, parameters: object[], components: OpenApiDocument['components']): string =>
  rows(
    title,
    parameters.map((given) => parameterRow(given, components)),
  );

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
}

function parameterRow(given: object, components: OpenApiDocument['components']): string {
  const shared = '$ref' in given ? components['parameters']?.[String(given.$ref).split('/').at(-1) ?? ''] : given;
  const { name, in: where, required = false, description = '' } = shared as Parameter;
  return `<tr><td><code>${escapeHtml(name)}</code><td>${where}${required ? ', required' : ''}<td>${prose(description)}`;
}

function answerRow([status, answer]: [string, object]): string {
  const { description, content = {} } = answer as { description: string; content?: Record<string, { schema: object }> };
  const [[type, body] = []] = Object.entries(content);
  const isProblem = Number(status) >= 400;
  const shown =
    body === undefined || isProblem ? '' : `<code>${escapeHtml(String(type))}</code> ${renderSchema(body.schema)}`;
  return `<tr><td>${status}<td>${prose(description)} ${shown}`;
}

/** A command that runs as it stands in a shell that has read `.hookline/local.env`, with an id of its own in `$ID`. */
function curl({ method, path, operation }: Placed, base: string): string {
  const { security, parameters, requestBody } = operation;
  const [mediaType, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const url = `${base === '/' ? '$HOOKLINE_API_URL' : base}${path.replace(/\{\w+\}/g, '$ID')}`;
  const required = (parameters as Partial<Parameter>[]).filter((given) => given.in === 'query' && given.required);
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "${url}"`,
    ...(security.length > 0 ? [`-H "Authorization: Bearer $HOOKLINE_ADMIN_KEY"`] : []),
    ...(method === 'POST' ? [`-H "Idempotency-Key: $(uuidgen)"`] : []),
    ...(content?.example === undefined
      ? []
      : [`-H 'Content-Type: ${mediaType}' -d '${JSON.stringify(content.example)}'`]),
    ...required.map(({ name = '' }) => `-G --data-urlencode ${shellQuoted(name)}`),
  ].join(' \\\n  ');
}

/** Two are required: the filter of a search, and of a tenant that is deleted its own name. */
const shellQuoted = (name: string): string =>
  name === 'filter' ? `'filter={"id":{"$exists":true}}'` : `"${name}=$ID"`;

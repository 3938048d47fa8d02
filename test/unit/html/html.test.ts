import { escapeHtml, Html, html, linkTo, safeHref } from '#lib/html';

const hostile = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onload='alert(1)",
  '</title><script>',
  '&lt;b&gt;',
  '&#60;script&#62;',
  '<!--',
  ']]>',
  '\u202ebidi\u202c',
];

test.each(hostile)('a value is text, whatever it is: %j', (text) => {
  const shown = String(html`<p title="${text}">${text}</p>`);
  expect(shown).toBe(`<p title="${escapeHtml(text)}">${escapeHtml(text)}</p>`);
  expect(shown.replace(/^<p title="([^"]*)">|<\/p>$/g, '')).not.toMatch(/[<>"']/);
});

test('markup within markup is not escaped twice', () => {
  const inner = html`<b>${'<'}</b>`;
  expect(String(html`<p>${inner}</p>`)).toBe('<p><b>&lt;</b></p>');
});

test('lists are joined, and what is absent renders nothing', () => {
  const items = ['a', '<'].map((item) => html`<li>${item}</li>`);
  expect(String(html`<ul>${items}</ul>${null}${undefined}${false}`)).toBe('<ul><li>a</li><li>&lt;</li></ul>');
  expect(String(html`${['<', ['>']]}`)).toBe('&lt;&gt;');
});

test('numbers are shown, 0 among them', () => {
  expect(String(html`${0} ${1.5} ${9007199254740993n}`)).toBe('0 1.5 9007199254740993');
});

test('an object that only looks like markup is none', () => {
  const forged = { toString: () => '<script>' };
  expect(Html.is(forged)).toBe(false);
  expect(String(html`${forged as unknown as Html}`)).toBe('&lt;script&gt;');
  expect(Html.is(Object.create(Html.prototype))).toBe(false);
});

test.each([
  'https://example.com/a?b=c',
  'http://127.0.0.1:8080',
  '/t/default/events',
  '?cursor=a',
  '#main',
  'events/evt_1',
  '//example.com',
])('%j is a link', (url) => {
  expect(safeHref(url)).toBe(url);
});

test.each([
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'java\nscript:alert(1)',
  '\tjavascript:alert(1)',
  '\u0001javascript:alert(1)',
  'data:text/html,<script>',
  'vbscript:x',
  'blob:https://example.com/a',
  'file:///etc/passwd',
  'https://',
  'http://[',
])('%j is no link', (url) => {
  expect(safeHref(url)).toBeUndefined();
  expect(String(linkTo(url))).toBe(escapeHtml(url));
});

test('a link has its label, and sends no referrer', () => {
  expect(String(linkTo('https://example.com/?a="&b', '<b>'))).toBe(
    '<a href="https://example.com/?a=&quot;&amp;b" rel="noopener noreferrer">&lt;b&gt;</a>',
  );
});

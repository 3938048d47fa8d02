import fc from 'fast-check';
import { prefersHtml, problemPage } from '#lib/problem';

describe('who is shown a page', () => {
  test.each([
    'text/html',
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8',
    'TEXT/HTML;q=0.5',
    'text/html;level=1, */*',
    'application/json;q=0.5, text/html',
    'text/html, application/json',
  ])('whoever asks for HTML: %s', (accept) => {
    expect(prefersHtml(accept)).toBe(true);
  });

  test.each([
    undefined,
    '',
    '*/*',
    'text/*',
    'application/json',
    'application/json, text/html;q=0.9',
    'application/problem+json, text/html;q=0.9',
    'text/html;q=0',
    'text/html;q=0.000',
    'text/html;q=nonsense',
    'text/htmlx',
  ])('nobody else: %s', (accept) => {
    expect(prefersHtml(accept)).toBe(false);
  });

  test('no Accept header is too strange', () => {
    fc.assert(fc.property(fc.string({ maxLength: 500 }), (accept) => typeof prefersHtml(accept) === 'boolean'));
  });
});

test('a page is for what people meet, names the status, and loads nothing', () => {
  for (const code of ['not_found', 'gone', 'method_not_allowed'] as const) {
    const page = problemPage(code) ?? '';
    expect(page).toMatch(/^<!doctype html>[^]*<h1>4\d\d<\/h1>/);
    expect(page).not.toMatch(/src=|href=|url\(|<script/);
  }
  expect(problemPage('signature_invalid')).toBeUndefined();
});

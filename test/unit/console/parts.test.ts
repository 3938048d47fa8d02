import { html } from '#lib/html';
import { path, withQuery } from '../../../services/console/api-calls/calls.ts';
import { endpointNames } from '../../../services/console/api-calls/tenant-names.ts';
import {
  checkbox,
  errorSummary,
  postForm,
  selectField,
  textArea,
  textField,
} from '../../../services/console/ui/form.ts';
import { filterForm, pager, table, tableRows } from '../../../services/console/ui/lists.ts';
import { indentedJson, jsonText } from '../../../services/console/ui/payload.ts';
import { statusBadge } from '../../../services/console/ui/status.ts';
import { breakable, count, definitions, shortId, wholeId } from '../../../services/console/ui/text.ts';
import { time } from '../../../services/console/ui/times.ts';

const hostile = `"><script>alert('&')</script>`;
const escaped = '&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;';

/** The text of markup as a reader sees it, with the escapes resolved. */
const textOf = (markup: { toString(): string }): string =>
  markup
    .toString()
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

test('endpoints of one URL are told apart by what they are for, else by their ids', () => {
  const url = 'https://crm.example/hooks';
  const named = endpointNames([
    { id: 'ep_1', url: 'https://erp.example/hooks', description: 'ERP' },
    { id: 'ep_00000000000000000000000002', url, description: 'Contacts' },
    { id: 'ep_00000000000000000000000003', url, description: '' },
    { id: 'ep_00000000000000000000000004', url, description: 'Deals' },
    { id: 'ep_00000000000000000000000005', url, description: 'Deals' },
  ]);
  expect([...named.values()]).toEqual([
    'https://erp.example/hooks',
    `${url} · Contacts`,
    `${url} (00000003)`,
    `${url} (00000004)`,
    `${url} (00000005)`,
  ]);
});

test('a name can be broken behind its separators, and stays the same text', () => {
  const markup = breakable('hooks.example.com/a-b_c/<d>').toString();
  expect(markup).toBe('hooks.<wbr>example.<wbr>com/<wbr>a-<wbr>b_<wbr>c/<wbr>&lt;d&gt;');
});

test('no part lets a value become markup', () => {
  const errors = [{ field: '/url', message: hostile }];
  const all = [
    table({
      caption: hostile,
      columns: [{ header: hostile, cell: (row: string) => row }],
      rows: [hostile],
      href: () => hostile,
    }),
    filterForm({
      action: '/x',
      filters: [
        { kind: 'text', name: 'q', label: hostile, placeholder: hostile },
        { kind: 'choice', name: 'c', label: 'c', options: [hostile] },
        { kind: 'time', name: 'at', label: 'at' },
      ],
      query: new URLSearchParams({ q: hostile, at: hostile }),
      errors: [{ field: 'q', message: hostile }],
    }),
    postForm({ newKey: () => hostile }, { action: hostile, submit: hostile, hidden: { a: hostile } }),
    textField({ name: 'url', label: hostile, hint: hostile, value: hostile, errors }),
    textArea({ name: 'url', label: hostile, value: hostile }),
    selectField({ name: 'url', label: hostile, options: [{ value: hostile, label: hostile }] }),
    checkbox({ name: 'url', label: hostile, isChecked: true }),
    errorSummary(errors),
    definitions([[hostile, hostile]]),
    jsonText(hostile),
    jsonText(JSON.stringify({ [hostile]: hostile })),
    time(hostile),
    shortId(hostile),
    wholeId(hostile),
    statusBadge(hostile),
    pager({ href: '/x', next: new URLSearchParams({ cursor: hostile }), prev: undefined }),
  ].join('\n');
  expect(all).not.toMatch(/<script|alert\('/);
  expect(all).toContain(escaped);
});

describe('a table', () => {
  const columns = [
    { header: 'Name', cell: ({ name }: { name: string }) => name },
    { header: 'Size', cell: ({ name }: { name: string }) => name.length, isNumber: true },
  ];

  test('has a caption, the scope of its headers, and a link in each row', () => {
    const markup = table({
      caption: 'Things',
      columns,
      rows: [{ name: 'abc' }],
      href: ({ name }) => `/things/${name}`,
    }).toString();
    expect(markup).toContain('<caption class="visually-hidden">Things</caption>');
    expect(markup.match(/<th scope="col"/g)).toHaveLength(2);
    expect(markup).toContain('<td role="cell" data-header="Name"><a href="/things/abc">abc</a></td>');
    expect(markup).toContain('<td role="cell" data-header="Size" class="number">3</td>');
  });

  test('gives its rows alone to an island', () => {
    expect(tableRows({ columns, rows: [{ name: 'a' }] }).toString()).toMatch(/^<tr role="row"><td/);
  });
});

describe('JSON', () => {
  const texts = [
    '{"id":9007199254740993,"amount":1.0,"a":1,"a":2,"2":0,"1":0}',
    '{"text":"\\u0041\\n\\"{[:,]}\\"","none":null,"yes":true,"number":-1.50E+10}',
    '[]',
    '',
    '  {"a" : 1}\r\n',
    'no JSON at all <b>',
    '{"cut":"off',
    '{"a":truely,"nullify":0}',
    '\ufeff{"bom":1}',
  ];

  test.each(texts)('is shown as it came: %j', (text) => {
    expect(textOf(jsonText(text))).toBe(text);
  });

  test('has its keys, strings, numbers and words told apart', () => {
    const markup = jsonText('{"k":"v","n":1,"w":null}').toString();
    expect(markup).toContain('<span class="j-key">&quot;k&quot;</span>:<span class="j-string">&quot;v&quot;</span>');
    expect(markup).toContain('<span class="j-number">1</span>');
    expect(markup).toContain('<span class="j-word">null</span>');
  });

  test('of a mebibyte, or of ten thousand levels, takes no time', () => {
    const long = JSON.stringify({ a: 'x\\"'.repeat(300_000) });
    const deep = '['.repeat(10_000) + ']'.repeat(10_000);
    const before = process.cpuUsage();
    for (const text of [long, deep, `"${'\\'.repeat(1_000_000)}`]) {
      expect(textOf(jsonText(text))).toBe(text);
      expect(indentedJson(text).replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
    }
    // Processor time: a machine that does other work does not make it more.
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(2_000);
  });

  test('in one line is indented without a change of its tokens', () => {
    expect(indentedJson('{"id":9007199254740993,"a":[1.0,{"a":{},"a":[]}]}')).toBe(`{
  "id": 9007199254740993,
  "a": [
    1.0,
    {
      "a": {},
      "a": []
    }
  ]
}`);
    expect(indentedJson('{"a":"b, c: {d}"}')).toBe('{\n  "a": "b, c: {d}"\n}');
  });

  test.each(texts)('keeps its tokens when it is indented: %j', (text) => {
    const withoutSpaces = (given: string): string => given.replaceAll(/\s/g, '');
    expect(withoutSpaces(indentedJson(text))).toBe(withoutSpaces(text));
  });
});

describe('a form', () => {
  test('carries an Idempotency-Key of its own', () => {
    let made = 0;
    const source = { newKey: () => `key-${(made += 1)}` };
    const markup = html`${postForm(source, { action: '/a', submit: 'A' })}${postForm(source, { action: '/b', submit: 'B' })}`;
    expect([...String(markup).matchAll(/name="idempotency_key" value="([^"]+)"/g)].map(([, key]) => key)).toEqual([
      'key-1',
      'key-2',
    ]);
    expect(String(markup)).toContain('<form method="post" action="/a"');
  });

  test('has each error at its field, and all of them in a summary that is focused', () => {
    const errors = [{ field: '/retry/max_attempts', message: 'must be at most 50' }];
    const field = textField({ name: 'retry', label: 'Retry', errors }).toString();
    expect(field).toContain('aria-invalid="true" aria-describedby="field-retry-error"');
    expect(field).toContain('must be at most 50');
    expect(textField({ name: 'ret', label: 'Other', errors }).toString()).not.toContain('aria-invalid');
    const summary = String(errorSummary(errors));
    expect(summary).toContain('<a href="#field-retry-max_attempts">retry, max attempts</a> must be at most 50');
    expect(summary).toContain('tabindex="-1" autofocus');
    expect(errorSummary([])).toBeNull();
  });

  test('keeps a value’s first newline', () => {
    expect(textArea({ name: 'a', label: 'A', value: '\nb' }).toString()).toContain('>\n\nb</textarea>');
  });

  test('of filters keeps what was entered, and can be cleared', () => {
    const filters = [
      { kind: 'choice', name: 'status', label: 'Status', options: ['dead_lettered', 'completed'] } as const,
    ];
    const markup = filterForm({ action: '/x', filters, query: new URLSearchParams('status=completed') }).toString();
    expect(markup).toContain('<option value="completed" selected>completed</option>');
    expect(markup).toContain('<option value="dead_lettered">dead lettered</option>');
    expect(markup).toContain('<a href="/x">Clear</a>');
    expect(filterForm({ action: '/x', filters, query: new URLSearchParams() }).toString()).not.toContain('Clear');
  });
});

test('pages have links in both directions, with the filters', () => {
  const next = new URLSearchParams('status=failed&cursor=b');
  expect(pager({ href: '/x', next: undefined, prev: undefined })).toBeNull();
  expect(String(pager({ href: '/x', next, prev: undefined }))).toContain(
    '<a rel="next" href="/x?status=failed&amp;cursor=b">',
  );
});

test.each([
  ['2026-01-01T09:30:00.123456Z', '2026-01-01 09:30:00.123 UTC'],
  ['2026-01-01T09:30:00Z', '2026-01-01 09:30:00 UTC'],
  ['yesterday', 'yesterday'],
])('the time %s is shown as %s, and kept as it came', (instant, shown) => {
  expect(time(instant).toString()).toBe(`<time datetime="${instant}" title="${instant}">${shown}</time>`);
});

test('a time that there is not is a dash', () => {
  expect([time(null), time(undefined), time('')].map(String)).toEqual(['–', '–', '–']);
});

test('an id in a list has its kind and its end', () => {
  const id = 'evt_01m84xk2v4q9nd1m0e6e0kxv7t';
  expect(shortId(id).toString()).toBe(`<code class="id" title="${id}">evt_…6e0kxv7t</code>`);
  expect(textOf(shortId('ses_1'))).toBe('ses_1');
  expect(textOf(wholeId(id))).toBe(`${id} `);
});

test('a status has a word and a shape beside its colour', () => {
  expect(statusBadge('dead_lettered').toString()).toBe(
    '<span class="badge badge-bad"><span aria-hidden="true">✕</span> dead lettered</span>',
  );
  expect(textOf(statusBadge('never heard of'))).toBe('■ never heard of');
});

test('facts without a value have a dash, those that are left out nothing', () => {
  const markup = textOf(definitions([['Name', ''], ['Count', 0], false, undefined]));
  expect(markup).toBe('Name–Count0');
});

test('counts have separators, and say when there are more', () => {
  expect([count(1_204), count(10_000, true)]).toEqual(['1,204', '10,000+']);
});

test('no id in a path leads elsewhere', () => {
  expect(path`/endpoints/${'a/b?c#d'}/health`).toBe('/endpoints/a%2Fb%3Fc%23d/health');
  expect(withQuery('/events', { type: 'a&b', none: undefined, empty: '' })).toBe('/events?type=a%26b');
  expect(withQuery('/events', new URLSearchParams())).toBe('/events');
});

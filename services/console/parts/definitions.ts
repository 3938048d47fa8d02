import { html, type Html, type HtmlValue } from '#lib/html';

/** Facts of one thing: what each is called, and its value. Absent ones are left out. */
export const definitions = (
  facts: readonly (readonly [term: HtmlValue, value: HtmlValue] | undefined | false)[],
): Html =>
  html`<dl class="facts">${facts.map((fact) => fact && html`<div><dt>${fact[0]}</dt><dd>${isEmpty(fact[1]) ? '–' : fact[1]}</dd></div>`)}</dl>`;

const isEmpty = (value: HtmlValue): boolean => value === null || value === undefined || value === '' || value === false;

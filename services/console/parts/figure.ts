import { html, type Html } from '#lib/html';

interface Figure {
  label: string;
  value: Html | string;
  /** The definition: what is counted, and what is not. */
  definition: string;
}

/** A number that says what it counts. */
export const figure = ({ label, value, definition }: Figure): Html =>
  html`<div class="figure"><div class="figure-value">${value}</div><details><summary><span class="figure-label">${label}</span> <span class="about" aria-hidden="true">i</span><span class="visually-hidden">: what is counted?</span></summary><p>${definition}</p></details></div>`;

/** 0.9918 as `99.2 %`. Never 100 % where something is missing, nor 0 % where there is something. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return '–';
  const tenths = Math.round((part / whole) * 1_000);
  const shown = part < whole && tenths === 1_000 ? 999 : part > 0 && tenths === 0 ? 1 : tenths;
  return `${(shown / 10).toFixed(1)} %`;
}

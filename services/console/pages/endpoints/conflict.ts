/** Two people have edited the same endpoint. Neither version is lost: the form has both, and where they disagree, yours; the table shows the other. */
import { html, type Html } from '#lib/html';
import { table } from '../../parts/table.ts';
import { fieldNames, type FormField, formFields, type FormValues, isSameValue } from './form-values.ts';

interface Versions {
  /** The values that the form began with. */
  opened: FormValues;
  yours: FormValues;
  theirs: FormValues;
}

interface Difference {
  name: FormField;
  yours: string;
  theirs: string;
  /** Which of them has changed it. */
  by: 'you' | 'them' | 'both';
}

export interface Conflict {
  /** For the form. */
  values: FormValues;
  differences: readonly Difference[];
}

export function conflictOf({ opened, yours, theirs }: Versions): Conflict {
  const differing = fieldNames.filter((name) => !isSameValue(name, yours[name], theirs[name]));
  const differences = differing.map((name): Difference => {
    const isYours = !isSameValue(name, yours[name], opened[name]);
    const isTheirs = !isSameValue(name, theirs[name], opened[name]);
    return { name, yours: yours[name], theirs: theirs[name], by: isYours ? (isTheirs ? 'both' : 'you') : 'them' };
  });
  const values = Object.fromEntries(
    fieldNames.map((name) => {
      const isTheirs = differences.some((difference) => difference.name === name && difference.by === 'them');
      return [name, (isTheirs ? theirs : yours)[name]];
    }),
  ) as unknown as FormValues;
  return { values, differences };
}

const inForm: Readonly<Record<Difference['by'], string>> = {
  you: 'yours: only you changed it',
  them: 'the saved one: you did not change it',
  both: 'yours: both changed it',
};

/** The private key is in the form, and nowhere else on the page. */
const shown = (name: FormField, value: string): Html =>
  value === ''
    ? html`<span class="muted">empty</span>`
    : name === 'client_certificate/private_key'
      ? html`(as entered)`
      : html`<code class="value">${value}</code>`;

export const conflictView = ({
  differences,
}: Conflict): Html => html`<div class="error-summary" role="alert" tabindex="-1" autofocus>
<h2>Somebody else has saved this endpoint since you opened it</h2>
<p>Nothing of yours was saved, and nothing is lost. The form has what both of you have changed; where both changed the same, it has yours. Look at it, then save.</p></div>
${table({
  caption: 'Differences between your version and the saved one',
  rows: differences,
  columns: [
    { header: 'Setting', cell: ({ name }) => formFields[name].label },
    { header: 'Yours', cell: ({ name, yours }) => shown(name, yours) },
    { header: 'Saved now', cell: ({ name, theirs }) => shown(name, theirs) },
    { header: 'In the form', cell: ({ by }) => inForm[by] },
  ],
})}`;

import { hash } from 'node:crypto';
import type { RandomBytes } from '#lib/runtime';

/**
 * Credentials are `<form>_<id>_<secret>`: the id, without its own prefix, finds the row to compare with, so no query searches for a secret;
 * the form and the fixed lengths let scanners find published ones.
 */
const forms = {
  /** An API key. */
  hk: 'key',
  /** The token of a session. */
  hs: 'ses',
  /** The code that is redeemed for it. */
  hc: 'ses',
  /** The code of a portal link. */
  hp: 'lnk',
} as const;

export type CredentialForm = keyof typeof forms;

const credentialText = /^(h[kscp])_([0-9a-hjkmnp-tv-z]{26})_[0-9a-f]{64}$/;

const secretBytes = 32;

export const newCredential = (form: CredentialForm, id: string, random: RandomBytes): string =>
  `${form}_${id.slice(id.indexOf('_') + 1)}_${random(secretBytes).toString('hex')}`;

/** The id in a credential; undefined if the text can't be one of this form. */
export function idInCredential(form: CredentialForm, text: string): string | undefined {
  const [, given, id] = credentialText.exec(text) ?? [];
  return given === form ? `${forms[form]}_${id}` : undefined;
}

/**
 * The stored hash of a credential. One round of SHA-256 is enough: slow hashes protect secrets that can be guessed, and nobody guesses 256
 * random bits.
 */
export const credentialHash = (text: string): Buffer => hash('sha256', text, 'buffer');

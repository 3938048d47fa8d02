import { usageFailure } from '../../command-failure.ts';

/** Where `--forward` sends to: a URL, or the port of this machine. */
export function readTarget(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = /^\d{1,5}(\/.*)?$/.test(text)
    ? `http://127.0.0.1:${text}`
    : /^[\w.-]+:\d/.test(text)
      ? `http://${text}`
      : text;
  const { protocol } = URL.parse(url) ?? {};
  if (protocol !== 'http:' && protocol !== 'https:')
    throw usageFailure(`--forward must be a URL such as http://127.0.0.1:3000/webhooks, or a port, not ${text}`);
  return url;
}

/** `--types order.paid,invoice.*` */
export const readTypes = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((type) => type.trim())
    .filter((type) => type !== '');

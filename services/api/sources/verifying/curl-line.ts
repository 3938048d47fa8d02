import { isUtf8 } from 'node:buffer';
import type { Sample } from './sample-webhook.ts';

/** One line for a POSIX shell that sends the request: nothing in the values is read by the shell, or as the name of a file. */
export function curlLine(url: string, { headers, body }: Sample): string {
  const given = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const request = ['curl', '-sS', '-X', 'POST', quoted(url), ...given].join(' ');
  if (isText(body)) return `${request} --data-raw ${quoted(body.toString())}`;
  return `printf %s ${quoted(body.toString('base64'))} | base64 -d | ${request} --data-binary @-`;
}

/** Whether it can be an argument of a command. */
export const isText = (body: Buffer): boolean => isUtf8(body) && !body.includes(0);

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * Text that no column of Postgres holds as it came: with a NUL it is refused, and half a surrogate pair has no UTF-8 (in `text` it would
 * become U+FFFD, in `jsonb` it is an error). Looked for here, in the whole request and before any handler, so that no field can be forgotten.
 * Headers need no look: their characters are bytes (latin1), and Node refuses a NUL in them.
 */
import type { preValidationHookHandler } from 'fastify';
import { fieldName, fieldUnder, maxFieldErrors } from './field-errors.ts';
import { sendInvalid, sendProblem } from './send-problem.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Members of the body that are kept as the bytes they came in, and so may hold any text. */
    keptAsBytes?: readonly string[];
  }
}

/** JSON writes them as escapes alone: UTF-8 has no surrogates, and a string no control characters. Most bodies need not be walked through. */
const mayEscapeSuch = /\\u(?:0000|[dD][89a-fA-F])/;

const message = 'must not contain NUL or an unpaired surrogate';

/** Runs after `refuseDeepBody`, since it recurses. */
export const refuseUnstorableText: preValidationHookHandler = (request, reply, done) => {
  const { params, query, body, bodyText, routeOptions } = request;
  // No id has such a character.
  if (fieldsWithUnstorableText(params).length > 0) return void sendProblem(reply, 'not_found');
  const inBody = mayEscapeSuch.test(bodyText) ? fieldsWithUnstorableText(body, routeOptions.config.keptAsBytes) : [];
  const fields = [
    ...fieldsWithUnstorableText(query).map((pointer) => fieldName(pointer, 'querystring')),
    ...inBody.map((pointer) => fieldName(pointer, 'body')),
  ];
  if (fields.length === 0) return done();
  sendInvalid(
    reply,
    fields.slice(0, maxFieldErrors).map((field) => ({ field, message })),
  );
};

/** JSON pointers to the texts, names of members among them. @param except members of the whole that are not looked at */
function fieldsWithUnstorableText(whole: unknown, except: readonly string[] = []): string[] {
  const found: string[] = [];
  const look = (value: unknown, path: string): void => {
    if (typeof value === 'string') {
      if (!isStorable(value)) found.push(path);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        if (path === '' && except.includes(name)) continue;
        if (found.length >= maxFieldErrors) return;
        const at = fieldUnder(path, writable(name));
        if (isStorable(name)) look(inner, at);
        else found.push(at);
      }
    }
  };
  look(whole, '');
  return found;
}

const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** The name of such a member, in a form that can be stored. */
const writable = (name: string): string => name.replaceAll('\0', '\uFFFD').toWellFormed();

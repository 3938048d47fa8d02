import { problemCodes } from '#lib/problem';

/** The text of docs/errors.md. */
export function errorsDocument(): string {
  const rows = Object.entries(problemCodes).map(
    ([code, { status, title, advice }]) => `| ${status} | \`${code}\` | ${title} | ${advice} |`,
  );
  return `# Errors

Written by \`npm run docs:write\` from \`libs/problem\`. Every error of the API and of the ingress is \`application/problem+json\` (RFC 9457):

\`\`\`
{"type":"urn:hookline:problem:validation_failed","title":"The request is not valid","status":400,"code":"validation_failed",
 "detail":"/name is missing","errors":[{"field":"/name","message":"is missing"}]}
\`\`\`

Programs go by \`code\`, which is stable; \`title\`, \`detail\` and \`message\` are for people, and may be worded anew. What a browser is led to
(404, 405, 410) is a page of HTML where \`Accept\` prefers that, with the same status.

| status | code | | what to do |
|---|---|---|---|
${rows.join('\n')}

A 401 has the header \`WWW-Authenticate\`: \`Bearer\` from the API; from the ingress \`Webhook-Signature realm="webhooks", scheme="…"\`, the scheme
being the source's ([signature-schemes.md](signature-schemes.md)).

## What is a client's to do

| answer | |
|---|---|
| none, 500, 502, 503, 504 | try again: a GET as it is, a POST with the same \`Idempotency-Key\`, so that it is carried out once |
| 409 \`idempotency_in_progress\` | try again with the same key: the first request is still being carried out |
| 429 | try again later; nothing was done |
| other 4xx | don't try again: the same request gets the same answer |

Wait for \`random(0, min(cap, base · 2^try))\` between tries (full jitter), and never less than \`Retry-After\` says. A POST without an
\`Idempotency-Key\` is carried out each time that it is sent.
`;
}

/** On every answer. Nothing is loaded from another host, nothing runs but our own files, and nobody may frame or open a page. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // Of islands/trusted-rows.ts.
  'trusted-types hookline',
];

const withoutUse = [
  'camera',
  'display-capture',
  'geolocation',
  'microphone',
  'payment',
  'publickey-credentials-get',
  'usb',
];

export const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': policy.join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'permissions-policy': `${withoutUse.map((feature) => `${feature}=()`).join(', ')}, clipboard-write=(self)`,
  'x-robots-tag': 'noindex',
  // A page is for one session at one moment.
  'cache-control': 'private, no-store',
};

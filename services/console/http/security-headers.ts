const policyWith = (ancestors: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${ancestors}`,
    "require-trusted-types-for 'script'",
    // islands/trusted-rows.ts makes this one.
    'trusted-types hookline',
  ].join('; ');

/** For pages of the portal: these may embed them. */
export const embeddablePolicy = (origins: readonly string[]): string => policyWith(origins.join(' '));

const withoutUse = [
  'camera',
  'display-capture',
  'geolocation',
  'microphone',
  'payment',
  'publickey-credentials-get',
  'usb',
];

/** On every answer. Nothing is loaded from another host, nothing runs but our own files, and nobody may frame or open a page. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': policyWith("'none'"),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'permissions-policy': `${withoutUse.map((feature) => `${feature}=()`).join(', ')}, clipboard-write=(self)`,
  'x-robots-tag': 'noindex',
  // A page is for one session at one moment.
  'cache-control': 'private, no-store',
};

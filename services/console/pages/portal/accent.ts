/** The colour that a portal link gives to the header and the buttons; their text is white. */
export const accentPath = (accent: string): string => `/portal/accent/${accent.slice(1)}.css`;

/** @param digits of `#rrggbb` */
export const accentRules = (digits: string): string => `:root { --accent-strong: #${digits}; }\n`;

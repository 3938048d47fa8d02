import { escapeHtml } from '#lib/html';

/** Renders text between backticks as code. */
export const prose = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

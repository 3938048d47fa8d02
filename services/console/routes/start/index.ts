import { start } from './start.ts';
import { theme } from './theme.ts';

export const startPages = [start, theme];

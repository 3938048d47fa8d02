import { overview } from './overview.ts';

export const overviewPages = [overview];

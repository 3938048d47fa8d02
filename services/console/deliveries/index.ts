export { attemptPage } from './attempt-views.ts';
export { deliveryColumns, deliveryPages, noNames } from './pages.ts';
export { readAttempt } from './read.ts';

export { attemptPage } from './attempt-views.ts';
export { deliveryColumns, deliveryPages } from './pages.ts';
export { readAttempt } from './read.ts';

export { attemptPage } from './attempt-views.ts';
export { deliveryColumns, deliveryPages, noNames } from './pages.ts';
export { type Attempt, type Delivery, readAttempt } from './read.ts';

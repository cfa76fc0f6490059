export { contentBasedRouter } from './content-based-router';
export { filter } from './filter';

export { analyticsSink } from './connector';

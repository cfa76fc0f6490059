export { postgresConnector } from './connector';

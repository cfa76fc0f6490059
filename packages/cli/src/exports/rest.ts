/** Requests to the REST API of a cluster. */
export { withClient, withRest } from '../rest/clients';
export { ConnectClient } from '../rest/connect-client';
export { exchange } from '../rest/exchange';
export { objectOf, path } from '../rest/reply';

/** Keys that errors name. */
export const INGESTION_URL = 'analytics.ingestion.url';
export const QUERY_URL = 'analytics.query.url';
export const LOGIN_URL = 'idp.auth.endpoint';

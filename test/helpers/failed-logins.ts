/** Counts and limits failed logins without a log, for workers of one test. */
import { RestMetrics } from '../../src/metrics/rest-metrics';
import { FailedLogins } from '../../src/rest/auth/failed-logins';
import { RareWarnings } from '../../src/rest/http/rare-warnings';

export const failedLogins = (): FailedLogins => new FailedLogins(new RestMetrics(), new RareWarnings(() => undefined));

/**
 * `io.debezium.transforms.ByLogicalTableRouter`: the deprecated name of ToLogicalTopicRouter, with another default of
 * `key.field.name`. Source: cdc-postgres §7.11.
 */
import type { ConnectorConfig, TransformationContext, TransformationPlugin } from '@millrace/sdk';
import { ROUTER_CONFIG } from './router-settings';
import { ToLogicalTopicRouter } from './to-logical-topic-router';

const KEY_FIELD = '__dbz__physicalTableIdentifier';

class ByLogicalTableRouter extends ToLogicalTopicRouter {
  override configure(config: ConnectorConfig, context?: TransformationContext): void {
    super.configure(config, context);
    context?.logger.warn(
      'Debezium 3.7 deprecates io.debezium.transforms.ByLogicalTableRouter: ' +
        `use io.debezium.transforms.ToLogicalTopicRouter, with key.field.name=${KEY_FIELD} if it is not set.`,
    );
  }
}

export const byLogicalTableRouter: TransformationPlugin = {
  type: 'transformation',
  config: ROUTER_CONFIG,
  create: () => new ByLogicalTableRouter(KEY_FIELD),
};

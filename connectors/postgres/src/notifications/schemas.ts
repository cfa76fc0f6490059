/** Schemas of the records in `notification.sink.topic.name`. Facts from Debezium's SchemaFactory. */
import { mapSchema, schema, structSchema } from '@millrace/sdk';

const string = schema('STRING');

export const NOTIFICATION_KEY_SCHEMA = structSchema([['id', string]], {
  name: 'io.debezium.connector.common.NotificationKey',
  version: 1,
});

export const NOTIFICATION_VALUE_SCHEMA = structSchema(
  [
    ['id', string],
    ['type', string],
    ['aggregate_type', string],
    ['additional_data', mapSchema(string, string, { optional: true })],
    ['timestamp', schema('INT64')],
  ],
  { name: 'io.debezium.connector.common.Notification', version: 1 },
);

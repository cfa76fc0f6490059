import type { ReselectConfig } from '../../../../connectors/postgres/src/config/reselect-config';
import type { TableModel } from '../../../../connectors/postgres/src/events/table-model';
import { reselectTable } from '../../../../connectors/postgres/src/reselect/wanted-columns';

test('columns masked by asterisks are not read again: every value of them looks like an unavailable one', () => {
  const row = [
    { name: 'id', column: 'id', unavailable: null },
    { name: 'hidden', column: 'hidden', unavailable: '__debezium_unavailable_value' },
    { name: 'body', column: 'body', unavailable: '__debezium_unavailable_value' },
  ];
  const masks = [{ name: 'hidden', mask: () => '***' }];
  const model = { schema: 'public', name: 't', row, masks, key: [row[0]] } as unknown as TableModel;
  const config = { include: null, exclude: null, byEventKey: false } as ReselectConfig;
  const { fields, key } = reselectTable(model, ['id'], config);
  expect(fields.map(({ column }) => column)).toEqual(['id', 'body']);
  expect(key.map(({ column }) => column)).toEqual(['id']);
});

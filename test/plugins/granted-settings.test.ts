import { grantedSettings } from '../../src/plugins/granted-settings';

const WORKER = { 'file.root': ' /data ', 'group.id': 'g', 'ssl.key.password': 'secret', empty: '' };

test('a plugin gets the worker settings that its manifest names, and no others', () => {
  expect(grantedSettings({ workerSettings: ['file.root', 'absent', 'empty', 'toString'] }, WORKER)).toEqual({
    'file.root': '/data',
  });
});

test('without such a list it gets none', () => {
  expect(grantedSettings({}, WORKER)).toEqual({});
});

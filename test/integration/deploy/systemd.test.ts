/** The unit file is valid for systemd, restricts the worker, and waits for its shutdown. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installSystemdAnalyze } from '../../../dev/services/debian-programs';
import { STOP_EXTRA_MS } from '../../../src/cli/worker/run-worker';
import { environmentSettings } from '../../../src/config/environment';
import { rowsOf } from '../../../src/config/setting';
import { WORKER_SETTINGS } from '../../../src/config/worker-settings';
import { isSecretName } from '../../../packages/texts/src/secrets';
import { ENVIRONMENT_FILE, environmentFileOf, readUnit, UNIT_FILE } from './unit-file';

const missing = installSystemdAnalyze();
if (missing !== null) process.stderr.write(`SKIPPED: the unit file is not verified: ${missing}\n`);
const testWithSystemd = missing === null ? test : test.skip;

const unit = readUnit();
const one = (key: string): string => {
  const [value = '', ...others] = unit.get(key) ?? [];
  expect(others).toEqual([]);
  return value;
};

/** With a command that this machine has. */
function analyze(args: readonly string[], change: (text: string) => string = (text) => text) {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-unit-'));
  try {
    const text = change(readFileSync(UNIT_FILE, 'utf8').replace(/^ExecStart=millrace/m, 'ExecStart=/bin/true'));
    const file = join(folder, 'millrace.service');
    writeFileSync(file, text);
    const { status, stdout, stderr } = spawnSync('systemd-analyze', [...args, file], { encoding: 'utf8' });
    return { status, output: stdout + stderr };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

testWithSystemd('systemd-analyze verify has no complaint, and detects a wrong key', () => {
  expect(analyze(['verify', '--man=no'])).toEqual({ status: 0, output: '' });
  const { output } = analyze(['verify', '--man=no'], (text) => text.replace('RestartSec=10s', 'RestartSecs=10s'));
  expect(output).toMatch(/Unknown key.*RestartSecs/);
});

testWithSystemd('systemd-analyze security reports a low exposure, which each restriction reduces', () => {
  const security = ['security', '--offline=yes', '--no-pager', '--threshold=13'];
  expect(analyze(security)).toMatchObject({ status: 0 });
  expect(analyze(security, (text) => text.replace(/^(SystemCallFilter|RestrictNamespaces)=.*\n/gm, '')).status).toBe(1);
});

test('a stop waits for the shutdown of a worker with default settings', () => {
  expect(one('TimeoutStopSec')).toMatch(/^\d+s$/);
  const gracefulMs = WORKER_SETTINGS.taskShutdownGracefulTimeoutMs.default;
  expect(parseInt(one('TimeoutStopSec')) * 1000).toBeGreaterThan(Number(gracefulMs) + STOP_EXTRA_MS);
});

test('V8 may compile: memory may become executable', () => {
  expect(unit.has('MemoryDenyWriteExecute')).toBe(false);
});

test('the variables of the environment file are settings or variables of the worker, and none is a secret', () => {
  const text = readFileSync(ENVIRONMENT_FILE, 'utf8').replace(/^#(?=[A-Z_]+=)/gm, '');
  const variables = environmentFileOf(text);
  const others = ['MILLRACE_LOG_FORMAT', 'MILLRACE_LOG_LEVEL', 'NODE_OPTIONS'];
  const known = new Set(rowsOf(WORKER_SETTINGS).map(({ name }) => name));
  expect(Object.keys(environmentSettings(variables)).filter((name) => !known.has(name))).toEqual([]);
  const settings = Object.keys(variables).filter((name) => !others.includes(name));
  expect(Object.keys(environmentSettings(variables))).toHaveLength(settings.length);
  expect(settings.length).toBeGreaterThan(2);
  expect(Object.keys(variables).filter(isSecretName)).toEqual([]);
});

/** The three converters of a task: the connector's own if it names them, else the worker's. Source: connect-runtime §6.3, Appendix A.2. */
import { ConfigError, type ConnectorConfig, type Converter, type HeaderConverter } from '@millrace/sdk';
import { withoutPrefix } from '../config/client-config';
import type { WorkerConfig } from '../config/worker-config';
import type { LoadedPlugin, PluginRegistry } from '../plugins/registry';
import type { NamedConverter, TaskConverters } from './source-records';

type Part = 'key' | 'value' | 'header';
type Worker = Pick<WorkerConfig, 'keyConverter' | 'valueConverter' | 'headerConverter' | 'withPrefix'>;

export async function taskConverters(
  connector: ConnectorConfig,
  worker: Worker,
  registry: PluginRegistry,
): Promise<TaskConverters> {
  const load = async <T>(
    part: Part,
    create: (plugin: LoadedPlugin, settings: ConnectorConfig) => T,
  ): Promise<NamedConverter<T>> => {
    const key = `${part}.converter`;
    const own = connector[key]?.trim();
    const workers = { key: worker.keyConverter, value: worker.valueConverter, header: worker.headerConverter };
    const name = own || workers[part];
    const description = registry.find(name, part === 'header' ? 'header_converter' : 'converter');
    if (!description) {
      throw new ConfigError(`Invalid value ${name} for configuration ${key}: Class ${name} could not be found.`, {
        code: 'CONVERTER_UNKNOWN',
      });
    }
    // A class named by the connector takes nothing from the worker's settings.
    const settings = own ? withoutPrefix(connector, `${key}.`) : worker.withPrefix(`${key}.`);
    const converter = create(await registry.load(description), { ...settings, 'converter.type': part });
    return { converter, className: description.class };
  };
  return {
    key: await load('key', (plugin, settings) => configured(plugin, settings, true)),
    value: await load('value', (plugin, settings) => configured(plugin, settings, false)),
    header: await load('header', configuredHeader),
  };
}

function configured(plugin: LoadedPlugin, settings: ConnectorConfig, isKey: boolean): Converter {
  if (plugin.type !== 'converter') throw wrongKind();
  const converter = plugin.create();
  converter.configure(settings, isKey);
  return converter;
}

function configuredHeader(plugin: LoadedPlugin, settings: ConnectorConfig): HeaderConverter {
  if (plugin.type !== 'header_converter') throw wrongKind();
  const converter = plugin.create();
  converter.configure(settings);
  return converter;
}

function wrongKind(): ConfigError {
  return new ConfigError('The plug-in exports something else than the converter its manifest announces.', {
    code: 'CONVERTER_KIND',
  });
}

/** Plugins of jars as plugins of the SDK. */
import type {
  Connector,
  ConverterPlugin,
  HeaderConverterPlugin,
  PredicatePlugin,
  TransformationPlugin,
} from '@millrace/sdk';
import { javaConverter, javaHeaderConverter } from './elements/java-converter';
import type { JavaElement } from './elements/java-element';
import { javaPredicate, javaTransformation } from './elements/java-transformation';
import type { JavaPlugin } from './java-plugin';
import type { Jvms } from './jvm/jvms';
import { JavaClass, type JavaDescription } from './plugins/java-class';
import { javaConnector, type JavaTasks } from './plugins/java-connector';
import { javaSinkTask } from './plugins/java-sink-task';
import { javaSourceTask } from './plugins/java-source-task';

type LoadedJavaPlugin = Connector | ConverterPlugin | HeaderConverterPlugin | TransformationPlugin | PredicatePlugin;

/** Asks its JVM about the class, and starts the JVM for that. Rejects with the JVM's error. */
export async function loadJavaPlugin(plugin: JavaPlugin, jvms: Jvms): Promise<LoadedJavaPlugin> {
  const javaClass = new JavaClass(plugin, jvms);
  const description = await javaClass.describe();
  const element = elementOf(plugin, jvms, javaClass, description);
  switch (plugin.type) {
    case 'converter':
      return javaConverter(element);
    case 'header_converter':
      return javaHeaderConverter(element);
    case 'transformation':
      return javaTransformation(element);
    case 'predicate':
      return javaPredicate(element);
    default:
      return javaConnector({ plugin, description, javaClass, jvms, tasks: tasksOf(plugin, jvms) });
  }
}

function elementOf(plugin: JavaPlugin, jvms: Jvms, javaClass: JavaClass, { keys }: JavaDescription): JavaElement {
  const { location, classPath, class: name } = plugin;
  return {
    class: name,
    config: keys,
    checkValues: (settings) => javaClass.validate(settings),
    open: (session, signal) => jvms.open({ location, classPath }, session, signal),
  };
}

function tasksOf(plugin: JavaPlugin, jvms: Jvms): JavaTasks {
  return {
    source: (taskClass) => javaSourceTask(plugin, taskClass, jvms),
    sink: (taskClass) => javaSinkTask(plugin, taskClass, jvms),
  };
}

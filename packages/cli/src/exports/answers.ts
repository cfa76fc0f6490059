/** What a command prints: tables, JSON, YAML. */
export { writeAnswer, yamlDocument } from '../output/answer';
export { tableText } from '../output/layout';

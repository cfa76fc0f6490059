/** What a command prints: tables, JSON, YAML. */
export { writeAnswer, yamlDocument } from '../output/answer';
export { tableText, timeText } from '../output/layout';

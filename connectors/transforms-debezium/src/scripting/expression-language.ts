/** The language of expressions, and how an expression in another one reads in it. Source: cdc-postgres §7.13. */
import { compileExpression } from './cel-expression';

const LANGUAGE = 'cel';

/** Null: the language is supported. */
export function languageProblem(language: string | null, expression: string | null): string | null {
  if (language === null) return 'A value is required';
  if (language.toLowerCase() === LANGUAGE) return null;
  const same = expression === null ? null : inCel(expression);
  const hint =
    same === null
      ? `Rewrite the expression, e.g. as ${EXAMPLE}`
      : same === expression
        ? 'The expression means the same in CEL and can stay as it is'
        : `The expression in CEL: ${same}`;
  return `Only ${LANGUAGE} is supported, because scripts run without limits. ${hint}, and set language=${LANGUAGE}`;
}

const EXAMPLE = "value.op == 'u' && value.after.id == 2";

/** A simple condition of Groovy or JavaScript in CEL; null if it has other syntax. */
export function inCel(script: string): string | null {
  const fields = script.replace(/\.get\('([^']{1,100})'\)/g, "['$1']");
  const text = outsideTexts(fields, (part) =>
    part
      .replace(/\?\./g, '.')
      .replace(/([!=]=)=/g, '$1')
      .replace(/\b(key|value)Schema\.(name|version|doc)\(\)/g, '$1Schema.$2')
      .replace(/\.equals\(/g, ' == (')
      .replace(/\.length\(\)/g, '.size()'),
  );
  const whole = text
    .trim()
    .replace(/^return\s+/, '')
    .replace(/;$/, '');
  try {
    compileExpression(whole);
    return whole;
  } catch {
    return null;
  }
}

function outsideTexts(script: string, change: (part: string) => string): string {
  return script
    .split(/('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")/)
    .map((part, i) => (i % 2 === 0 ? change(part) : part))
    .join('');
}

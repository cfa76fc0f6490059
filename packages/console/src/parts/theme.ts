/** Light or dark: as the system says, unless the person chose. */
import { Store } from './store';

export type Theme = 'auto' | 'light' | 'dark';
const KEY = 'millrace.theme';
const system = matchMedia('(prefers-color-scheme: dark)');

function stored(): Theme {
  const value = localStorage.getItem(KEY);
  return value === 'light' || value === 'dark' ? value : 'auto';
}

export const theme = new Store<Theme>(stored());

export function chooseTheme(value: Theme): void {
  localStorage.setItem(KEY, value);
  theme.set(value);
  apply();
}

function apply(): void {
  const isDark = theme.value === 'dark' || (theme.value === 'auto' && system.matches);
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
}

system.addEventListener('change', apply);
apply();

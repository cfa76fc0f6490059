import type { EventFormat } from '../config/event-config';
import type { EventLayout } from './event-layout';
import { LAYOUT_1_2 } from './layout-1-2';
import { LAYOUT_3 } from './layout-3';

/** Chosen once per task, so that no record tests for it. */
export function layoutOf(format: EventFormat): EventLayout {
  return format === '1.2' ? LAYOUT_1_2 : LAYOUT_3;
}

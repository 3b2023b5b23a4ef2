import type { Plan } from '../../plan/plan-types.ts';
import { element } from '../dom/element.ts';
import { planConditions, planRows } from './plan-rows.ts';

/** One upstream and model: what it takes at either operating point, and the conditions it rests on. */
export function planCard(plan: Plan): HTMLElement {
  const heads = ['', 'Interactive', 'Batch'].map((text, index) =>
    index === 0 ? element('td') : element('th', { text, class: 'number', attributes: { scope: 'col' } }),
  );
  const rows = planRows(plan).map(({ title, interactive, batch, isMain }) =>
    element('tr', { class: isMain ? 'main-row' : '' }, [
      element('th', { text: title, attributes: { scope: 'row' } }),
      element('td', { text: interactive, class: 'number' }),
      element('td', { text: batch, class: 'number' }),
    ]),
  );
  const conditions = planConditions(plan).map((text) => element('li', { text }));
  return element('article', { class: 'plan' }, [
    element('h3', { text: `${plan.upstream} · ${plan.model}` }),
    element('table', { attributes: { 'aria-label': `Plan for ${plan.upstream} · ${plan.model}` } }, [
      element('thead', {}, [element('tr', {}, heads)]),
      element('tbody', {}, rows),
    ]),
    element('ul', { class: 'fine-print' }, conditions),
  ]);
}

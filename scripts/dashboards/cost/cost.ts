import type { Dashboard } from '../panel.ts';
import { COST_CAPACITY } from './capacity.ts';
import { COST_COURSE } from './course.ts';
import { COST_FIGURES } from './figures.ts';

export const COST: Dashboard = {
  uid: 'pitot-cost',
  title: 'Pitot · Cost and capacity',
  description: 'What does a token cost, would it be cheaper elsewhere, and how many GPUs does this load need?',
  rows: [COST_FIGURES, COST_COURSE, COST_CAPACITY],
};

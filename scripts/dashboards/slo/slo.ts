import type { Dashboard } from '../panel.ts';
import { BURN, COMPLIANCE } from './compliance.ts';
import { FLOORS, GOODPUT } from './goodput.ts';

export const SLO: Dashboard = {
  uid: 'pitot-slo',
  title: 'Pitot · SLO',
  description: 'Are the promises kept, how much may still go wrong, and how fast is that being used up?',
  rows: [COMPLIANCE, BURN, GOODPUT, FLOORS],
};

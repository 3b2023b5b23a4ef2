import type { Dashboard } from '../panel.ts';
import { USER_FIGURES } from './figures.ts';
import { USER_SPEED } from './speed.ts';
import { WHO } from './who.ts';

export const USERS: Dashboard = {
  uid: 'pitot-users',
  title: 'Pitot · Users',
  description: 'Who uses the system, how much, and how fast is each of them served?',
  rows: [USER_FIGURES, USER_SPEED, WHO],
};

// The page: mounts the shell, and asks for the tables.

import { render } from 'preact';
import { App } from './app/App';
import { refreshTables } from './base/tables';
import './base/theme';

const root = document.getElementById('app') ?? document.body.appendChild(document.createElement('div'));
root.id = 'app';
root.textContent = '';
render(<App />, root);
void refreshTables();

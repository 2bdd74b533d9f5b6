import { globalSetup } from 'hashrange/vitest';

export default globalSetup({ args: ['--region=eu-north-1'] });

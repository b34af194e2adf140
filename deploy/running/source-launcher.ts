import { join } from 'node:path'
import { targets } from '../image/targets.ts'
import type { Launcher } from './seeded-system.ts'

/** Starts both services from their source, with their files in one folder. */
export function sourceLauncher(root: string, dataDir: string): Launcher {
  const paths = new Map<string, string>(targets.map(({ name, path }) => [name, path]))
  return {
    command: (service) => [process.execPath, join(root, `${paths.get(service)}/src/main.ts`)],
    settings: () => ({ DATA_DIR: dataDir, HTTPS_PORT: 'off' }),
    registrations: join(root, 'services/greeting-api/registrations.json'),
  }
}

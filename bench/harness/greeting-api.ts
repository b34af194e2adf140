import { join } from 'node:path'
import type { Lab } from './contender.ts'
import { runtimes } from './peer-process.ts'
import { benchFolder, repositoryFolder } from './programs.ts'
import { type RunningServer, startServer } from './server-process.ts'

/** What runs the API as it ships. */
const files = {
  node: join(repositoryFolder, 'services', 'greeting-api', 'src', 'main.ts'),
  bun: join(benchFolder, 'servers', 'greeting-bun.ts'),
} as const

/** Starts the greeting API with the settings of a real deployment. */
export function startGreetingApi(
  runtime: keyof typeof files,
  { scene, keySet, folder }: Lab,
  cores: readonly number[],
): Promise<RunningServer> {
  return startServer(
    {
      command: [...runtimes[runtime], files[runtime]],
      environment: {
        TENANT_ID: scene.tenantId,
        API_APPLICATION_ID: scene.apiApplicationId,
        AUTH_URL: keySet.origin,
        ISSUER_URL: scene.issuerUrl,
        PORT: '0',
      },
      folder,
    },
    cores,
  )
}

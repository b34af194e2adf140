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

/**
 * What a platform is told for a server that is asked without pause. Bun's allocator would give freed memory
 * back to the system after 10 ms and ask for it again in the next one: here it keeps it.
 */
const tuning = { node: {}, bun: { MIMALLOC_PURGE_DELAY: '-1' } } as const

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
        ...tuning[runtime],
      },
      folder,
    },
    cores,
  )
}

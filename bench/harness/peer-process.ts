import { join } from 'node:path'
import type { Lab } from './contender.ts'
import { benchFolder, bunProgram } from './programs.ts'
import { type RunningServer, startServer } from './server-process.ts'

/** The program that runs a file of `servers/`, without the name of the file. */
export const runtimes = {
  node: [process.execPath],
  bun: [bunProgram, 'run'],
} as const

/**
 * Starts a file of `servers/` and tells it about the run.
 *
 * @param file its name without the ending
 */
export function startPeer(
  file: string,
  { scene, keySet, folder }: Lab,
  cores: readonly number[],
  runtime: keyof typeof runtimes = 'node',
): Promise<RunningServer> {
  return startServer(
    {
      command: [...runtimes[runtime], join(benchFolder, 'servers', `${file}.ts`)],
      environment: {
        KEY_SET_URL: keySet.url,
        ISSUER: scene.issuer,
        AUDIENCE: scene.audience,
        ROLE: scene.role,
        CLIENT_ID: scene.clientId,
        CLIENT_SECRET: scene.clientSecret,
      },
      folder,
    },
    cores,
  )
}

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { startSystem, temporaryFolder } from '../greeting-process.ts'

/** Settings by name, as a reader's shell holds them. */
export type Settings = Readonly<Record<string, string | undefined>>

/** The whole system, with what it wrote for those who use it. */
export type GreetingSystem = {
  /** The folder that it was started in: `.greeting` is there, and packages are found from there. */
  readonly folder: string
  /** What is there for clients. */
  readonly clientSettings: Settings
  /** What is there for the administrator. */
  readonly administratorSettings: Settings
  /** Stops the system and removes everything it wrote. */
  readonly stop: () => Promise<void>
}

/**
 * Starts the whole system, with HTTPS, on free ports, in a folder of its own.
 *
 * @param env Settings of the services beyond their defaults.
 */
export async function startGreetingSystem(env: NodeJS.ProcessEnv = {}): Promise<GreetingSystem> {
  const opened = new AsyncDisposableStack()
  const folder = await temporaryFolder({ after: (remove) => opened.defer(remove) })
  const dataDir = join(folder, '.greeting')
  const system = await startSystem(dataDir, { cwd: folder, env, args: ['--https-port', '0'] })
  opened.defer(async () => {
    await system.stop()
  })
  return {
    folder,
    clientSettings: await readSettings(system.clientEnvFile),
    administratorSettings: await readSettings(join(dataDir, 'administrator.env')),
    stop: () => opened.disposeAsync(),
  }
}

const readSettings = async (path: string): Promise<Settings> =>
  parseEnv(await readFile(path, 'utf8'))

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after } from 'node:test'
import { parseEnv } from 'node:util'
import { type ForeignIssuer, startForeignIssuer } from '../fixtures/foreign-issuer.ts'
import { folderOfClone, type System, startSystem } from './greeting-process.ts'

/** Settings by name, as a shell has them. */
export type Settings = Readonly<Record<string, string | undefined>>

/** The system that all test files of one process use. */
export type SharedSystem = System & {
  /** The working folder. It contains `.greeting`, and Node resolves packages from it. */
  readonly folder: string
  readonly dataDir: string
  /** A cluster, whose tokens an administrator may let a client exchange. */
  readonly cluster: ForeignIssuer
  readonly clientSettings: Settings
  readonly administratorSettings: Settings
}

/** The names in the HTTPS certificate of the shared system. */
export const httpsNames = 'login.microsoftonline.com'

const env = {
  HTTPS_NAMES: httpsNames,
  // Several files send wrong secrets for the same client within a minute.
  WRONG_CREDENTIALS_PER_CLIENT_PER_MINUTE: '1000',
  WRONG_CREDENTIALS_PER_SOURCE_PER_MINUTE: '1000',
}

const opened = new AsyncDisposableStack()
let starting: Promise<SharedSystem> | undefined

/**
 * Returns the shared system, and starts it at the first call: with HTTPS and managed identities, on
 * free ports, in a separate folder. It stops after the last test of the process.
 *
 * A test adds its own objects under its own names. It changes no signing key.
 */
export function sharedSystem(): Promise<SharedSystem> {
  starting ??= start()
  return starting
}

after(() => opened.disposeAsync())

async function start(): Promise<SharedSystem> {
  const folder = folderOfClone()
  const dataDir = join(folder, '.greeting')
  const cluster = await startForeignIssuer()
  opened.defer(cluster.close)
  const system = await startSystem(dataDir, {
    cwd: folder,
    env: { ...env, FEDERATED_ISSUER_HOSTS: cluster.host },
    args: ['--https-port', '0', '--managed-identity'],
  })
  opened.defer(async () => {
    await system.stop()
  })
  return {
    ...system,
    folder,
    dataDir,
    cluster,
    clientSettings: await readSettings(system.clientEnvFile),
    administratorSettings: await readSettings(join(dataDir, 'administrator.env')),
  }
}

/** Reads a settings file that `greeting start` wrote. */
export const readSettings = async (path: string): Promise<Settings> =>
  parseEnv(await readFile(path, 'utf8'))

import { existsSync, writeFileSync } from 'node:fs'
import { rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CommandFailure } from '../exit-codes.ts'
import {
  isChangeableByOthers,
  readEnvFile,
  reasonOf,
  type Settings,
  writeEnvFile,
} from '../files/env-file.ts'
import { makeFolder } from '../files/make-folder.ts'
import type { LogFiles } from './rotating-log.ts'

// https://www.sqlite.org/rescode.html#busy
const busy = 5

/**
 * A lock on a folder that one process at a time can hold. It is the operating system's lock of a
 * SQLite file. The lock ends with its process, so a remaining file does no harm.
 */
export class FolderLock {
  readonly #database: DatabaseSync

  private constructor(database: DatabaseSync) {
    this.#database = database
  }

  /**
   * Takes the lock. Returns `undefined` when another process has it.
   *
   * @throws {Error} when the file cannot be created or locked.
   */
  static take(file: string): FolderLock | undefined {
    // Do not open an existing file: on POSIX, closing it would release a lock of this process.
    makeFile(file)
    const database = new DatabaseSync(file, { timeout: 0 })
    try {
      database.exec('BEGIN EXCLUSIVE')
      return new FolderLock(database)
    } catch (error) {
      database.close()
      if (isBusy(error)) return undefined
      throw error
    }
  }

  /** Whether a process has the lock. An existing file is not changed. */
  static isTaken(file: string): boolean {
    if (!existsSync(file)) return false
    try {
      using database = new DatabaseSync(file, { readOnly: true, timeout: 0 })
      database.exec('SELECT 1 FROM sqlite_schema')
      return false
    } catch (error) {
      return isBusy(error)
    }
  }

  release(): void {
    this.#database.close()
  }

  [Symbol.dispose](): void {
    this.release()
  }
}

const isBusy = (error: unknown) =>
  error instanceof Error && 'errcode' in error && error.errcode === busy

function makeFile(file: string): void {
  try {
    writeFileSync(file, '', { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

const clientEnv = ['TENANT_ID', 'CLIENT_ID', 'CLIENT_SECRET', 'API_APPLICATION_ID'] as const

/** The folder of the system when no option names another one. */
export const defaultDataDir = '.greeting'

/** The client's settings that a start shows: the client and the API. */
export type ClientEnv = Readonly<Record<(typeof clientEnv)[number], string>>

const otherFolder = 'Choose another folder with --data-dir, or fix this one.'

function takeLock(file: string): FolderLock | undefined {
  try {
    return FolderLock.take(file)
  } catch (cause) {
    const message = `The file ${file} cannot be locked: ${reasonOf(cause)}.`
    throw new CommandFailure('failed', message, { cause, remedy: otherFolder })
  }
}

/** The data folder of the local system: keys, registrations, settings and logs. */
export class DataFolder {
  readonly path: string
  readonly clientEnvFile: string
  /** Settings of the administrator. The identity provider writes them. */
  readonly administratorEnvFile: string
  readonly secretFolder: string
  /** The certificate of the identity provider's local authority. */
  readonly authorityFile: string
  /** The variables of a program that uses a managed identity as in Azure App Service. */
  readonly appServiceEnvFile: string
  /** The variables of a program that uses a managed identity as on a virtual machine. */
  readonly virtualMachineEnvFile: string
  /** The certificate that the identity provider renews. The greeting API also uses it. */
  readonly serverCertificateFile: string
  readonly serverKeyFile: string
  readonly logFolder: string
  readonly #lockFile: string

  constructor(path: string) {
    this.path = path
    this.clientEnvFile = join(path, 'client.env')
    this.administratorEnvFile = join(path, 'administrator.env')
    this.secretFolder = join(path, 'secrets')
    this.authorityFile = join(path, 'tls', 'authority.pem')
    this.appServiceEnvFile = join(path, 'app-service.env')
    this.virtualMachineEnvFile = join(path, 'virtual-machine.env')
    this.serverCertificateFile = join(path, 'tls', 'server.pem')
    this.serverKeyFile = join(path, 'tls', 'server.key')
    this.logFolder = join(path, 'logs')
    this.#lockFile = join(path, 'start.lock')
  }

  /** Whether the identity provider has a directory in the folder. */
  get hasDirectory(): boolean {
    return existsSync(join(this.path, 'greeting.sqlite'))
  }

  /** Creates the folder if necessary, and checks that it can be written. */
  async prepare(): Promise<void> {
    try {
      await makeFolder(this.path)
      await makeFolder(this.logFolder)
    } catch (cause) {
      const message = `Cannot write to the data folder ${this.path}: ${reasonOf(cause)}.`
      throw new CommandFailure('failed', message, { cause, remedy: otherFolder })
    }
  }

  /** Whether users other than this one can replace files of the folder. */
  async isChangeableByOthers(): Promise<boolean> {
    const found = await stat(this.path).catch(() => undefined)
    return found !== undefined && isChangeableByOthers(found)
  }

  /** Whether a system runs in the folder. */
  isInUse(): boolean {
    return FolderLock.isTaken(this.#lockFile)
  }

  /**
   * Locks the folder, so that no other system runs in it.
   *
   * @throws {CommandFailure} failed when another system holds the lock.
   */
  lock(): FolderLock {
    const lock = takeLock(this.#lockFile)
    if (lock) return lock
    const message = `Another local system uses the data folder ${this.path}.`
    const remedy = 'Stop it, or choose another folder with --data-dir.'
    throw new CommandFailure('failed', message, { remedy })
  }

  /** The log files of a service. The log of the earlier run becomes the previous one. */
  async freshLogFiles(name: string): Promise<LogFiles> {
    const path = join(this.logFolder, `${name}.log`)
    const previousPath = join(this.logFolder, `${name}.previous.log`)
    await rename(path, previousPath).catch(() => undefined)
    return { path, previousPath }
  }

  /** The client's settings, if they are complete. */
  async readClientEnv(): Promise<ClientEnv | undefined> {
    try {
      const found = (await readEnvFile(this.clientEnvFile)) ?? {}
      const settings = clientEnv.map((name) => [name, found[name]] as const)
      const isComplete = settings.every(([, value]) => value !== undefined)
      return isComplete ? (Object.fromEntries(settings) as ClientEnv) : undefined
    } catch (cause) {
      const message = `Cannot read the file ${this.clientEnvFile}: ${reasonOf(cause)}.`
      throw new CommandFailure('failed', message, { cause })
    }
  }

  /** The client of an earlier start, unless the administrator has another tenant. */
  async keptClient(): Promise<ClientEnv | undefined> {
    const client = await this.readClientEnv()
    // Administrators may remove these settings after the first start: the file contains a secret.
    if (!client || !existsSync(this.administratorEnvFile)) return client
    // What cannot be read is reported where it is used.
    const administrator = await readEnvFile(this.administratorEnvFile).catch(() => undefined)
    return administrator?.TENANT_ID === client.TENANT_ID ? client : undefined
  }

  /** Writes the client's settings. Other lines of the file stay. */
  async writeClientEnv(settings: Settings): Promise<void> {
    try {
      const before = await readEnvFile(this.clientEnvFile)
      await writeEnvFile(this.clientEnvFile, { ...settings, ...before, ...settings })
    } catch (cause) {
      const message = `Cannot write the file ${this.clientEnvFile}: ${reasonOf(cause)}.`
      throw new CommandFailure('failed', message, { cause })
    }
  }
}

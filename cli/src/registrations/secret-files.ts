import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type CallerEntry, callersOf, type RegistrationsFile } from '@greeting/registrations'
import type { NewSecret, SecretName, SecretSink } from '@greeting/registrations/apply'
import { inParallel } from '@greeting/registrations/apply'
import { CommandFailure } from '../exit-codes.ts'
import {
  isChangeableByOthers,
  readEnvFile,
  type Settings,
  writeEnvFile,
} from '../files/env-file.ts'
import { makeFolder } from '../files/make-folder.ts'

const maxFilesAtOnce = 8

type SecretFilesOptions = {
  readonly fileOf: (name: SecretName) => string
  /** Settings that every secret file contains: where to obtain tokens. */
  readonly settings: Settings
  /** Whether a file has `SCOPE` too, for other programs. Without it, `API_APPLICATION_ID` alone decides. */
  readonly hasScope?: true
}

/** A stored secret and its file, without the secret itself. */
export type KeptSecret = Omit<NewSecret, 'secretText'> & { readonly file: string }

/** Stores each new secret in its own settings file, readable by the owner only. */
export class SecretFiles implements SecretSink {
  readonly kept: KeptSecret[] = []
  readonly #options: SecretFilesOptions

  constructor(options: SecretFilesOptions) {
    this.#options = options
  }

  async prepare(names: readonly SecretName[]): Promise<void> {
    const files = names.map(this.#options.fileOf)
    const seen = new Set<string>()
    const twice = files.find((file) => {
      if (seen.has(file)) return true
      seen.add(file)
      return false
    })
    if (twice !== undefined) {
      const message = `Several new secrets would have the same file, ${twice}.`
      const remedy = 'Omit --secrets-file, and use client names that differ in letters or digits.'
      throw new CommandFailure('bad_usage', message, { remedy })
    }
    await inParallel(files, maxFilesAtOnce, requireWritable)
  }

  async keep({ secretText, ...secret }: NewSecret): Promise<void> {
    const file = this.#options.fileOf(secret)
    const [apiApplicationId, ...others] = secret.apiApplicationIds
    const settings = {
      ...this.#options.settings,
      CLIENT_ID: secret.clientId,
      CLIENT_SECRET: secretText,
      CLIENT_SECRET_EXPIRES: secret.endDateTime.toISOString(),
      ...(others.length === 0 &&
        apiApplicationId && {
          API_APPLICATION_ID: apiApplicationId,
          ...(this.#options.hasScope && { SCOPE: `api://${apiApplicationId}/.default` }),
        }),
    }
    // Not every reader of such a file knows quotes, and a line break would begin another setting.
    if (Object.values(settings).some((value) => /\p{Cc}/u.test(value ?? '')))
      throw new CommandFailure('failed', `The new secret has no form that ${file} can hold`)
    // Other settings that users added to the file stay, such as the URL of the API.
    await writeEnvFile(file, { ...settings, ...(await readEnvFile(file)), ...settings })
    this.kept.push({ ...secret, file })
  }

  /** Writes `AGENT_ID` of a single agent or `AGENT_ID_<NAME>` of each, and removes former agents. */
  async keepAgentIds(
    { blueprints }: RegistrationsFile,
    applicationIds: ReadonlyMap<string, string>,
  ): Promise<void> {
    for (const { displayName: client, secrets = [], agents = [] } of blueprints) {
      const ids = new Map<string, string | undefined>()
      for (const { displayName } of agents) {
        const plain = displayName.toUpperCase().replaceAll(/[^A-Z\d]+/g, '_')
        const name = agents.length === 1 ? 'AGENT_ID' : `AGENT_ID_${plain}`
        ids.set(ids.has(name) ? `${name}_${ids.size + 1}` : name, applicationIds.get(displayName))
      }
      for (const { displayName: secret } of secrets) {
        const file = this.#options.fileOf({ client, secret })
        const { AGENT_ID, ...settings } = (await readEnvFile(file)) ?? {}
        if (!settings.CLIENT_ID || settings.CLIENT_ID !== applicationIds.get(client)) continue
        const others = Object.entries(settings).filter(([name]) => !name.startsWith('AGENT_ID_'))
        const chosen = [...ids.values()].includes(AGENT_ID) && { AGENT_ID }
        await writeEnvFile(file, { ...Object.fromEntries([...others, ...ids]), ...chosen })
      }
    }
  }
}

/** Keeps new secrets in memory, to print them once. */
export class MemorySecrets implements SecretSink {
  readonly secrets: NewSecret[] = []
  readonly prepare = async () => undefined
  readonly keep = async (secret: NewSecret) => void this.secrets.push(secret)
}

/** A file name for a secret, valid on every file system. */
export const secretFileName = (...names: readonly string[]): string => {
  const plain = names
    .join('.')
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, '-')
    .replaceAll(/^[-.]+|(?<![-.])[-.]+$/g, '')
  return `${plain || 'client'}.env`
}

export function fileOfSecret(dataDir: string, file: RegistrationsFile, secretsFile?: string) {
  const several = callersOf(file).filter(({ secrets = [] }) => secrets.length > 1)
  const hasSeveral = new Set(several.map(({ displayName }) => displayName))
  return ({ client, secret }: SecretName): string => {
    if (secretsFile !== undefined) return resolve(secretsFile)
    const names = hasSeveral.has(client) ? [client, secret] : [client]
    return join(dataDir, 'secrets', secretFileName(...names))
  }
}

/** The clients of a registrations file that lack the file of a secret. */
export function clientsWithoutFile(file: RegistrationsFile, fileOf: (name: SecretName) => string) {
  const isWithout = ({ displayName: client, secrets = [] }: CallerEntry) =>
    secrets.some(({ displayName: secret }) => !existsSync(fileOf({ client, secret })))
  return callersOf(file)
    .filter(isWithout)
    .map(({ displayName }) => displayName)
}

/** Whether a line is a setting, a comment or a part of a value. */
const isLineOf = (settings: Settings) => (line: string) =>
  /^\ufeff?\s*(#|\w+\s*=|$)/.test(line) ||
  Object.values(settings).some((value) => value?.includes(line.trim().replace(/['"`]$/, '')))

/** Checks that the file can be written, before a secret is created. */
async function requireWritable(file: string): Promise<void> {
  const probe = `${file}.${randomUUID()}`
  try {
    await makeFolder(dirname(file))
    await (await open(probe, 'wx', 0o600)).close()
    await rm(probe)
    if (isChangeableByOthers(await stat(dirname(file))))
      throw new Error(`other users can change ${dirname(file)}`)
    const before = await readEnvFile(file)
    if (before && !(await readFile(file, 'utf8')).split('\n').every(isLineOf(before)))
      throw new Error('it has lines that are not settings, and would lose them')
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `Cannot write new secrets to ${file}: ${reason}.`
    throw new CommandFailure('failed', message, { cause, remedy: 'Choose another file.' })
  }
}

import { createHmac, randomBytes, randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { DirectoryState } from '@greeting/registrations/directory'
import type { Plan } from '@greeting/registrations/planning'
import { z } from 'zod'
import { CommandFailure } from '../exit-codes.ts'
import {
  cannotWrite,
  isChangeableByOthers,
  isReadableByOthers,
  readEnvFile,
  reasonOf,
  writeEnvFile,
} from '../files/env-file.ts'
import { makeFolder } from '../files/make-folder.ts'
import type { LoadedFile } from '../registrations/load-file.ts'
import { fileOfSecret } from '../registrations/secret-files.ts'
import { FolderLock } from './data-folder.ts'
import { RegisteredApplications } from './registered-applications.ts'

const content = z.object({
  APPLY: z.string(),
  SECRETS_FILE: z.string().optional(),
  /** The times of the runs, in milliseconds, and the secrets that the last one found. */
  TIMES: z.string().regex(/^\d+(,\d+)*$/),
  KNOWN: z.string(),
  // The last line: a file that was cut lacks a part of it.
  MARK: z.string().regex(/^[0-9a-f]{64}$/),
})

const creations = new Set(['createApplication', 'createSecret', 'rotateSecret'])
const hourMs = 3_600_000
const dayMs = 86_400_000
// A part of a key ID, so that the secrets of many clients fit into a settings file.
const brief = ({ keyId }: { readonly keyId: string }) => keyId.slice(0, 8)

/** The journal of a killed run, if there is one. */
async function read(path: string, apply: string) {
  if (!existsSync(path)) return undefined
  const remedy =
    'Nothing was changed. If you remove it, confirm the applications that the run created, and use --rotate for their secrets.'
  const fault = (what: string) =>
    new CommandFailure('failed', `The journal ${path} of a killed apply ${what}`, { remedy })
  if (isChangeableByOthers(await stat(path)) || (await isReadableByOthers(path)))
    throw fault('is not private')
  const found = await readEnvFile(path).catch((cause) => {
    throw fault(`cannot be read: ${reasonOf(cause)}`)
  })
  const { data } = content.safeParse(found)
  if (data === undefined) throw fault('is damaged')
  if (data.APPLY !== apply) throw fault(`is of ${data.APPLY}: apply that first`)
  return data
}

/**
 * Locks a data folder, so that one apply at a time has its journal and its secrets. A folder without a
 * lock, because it cannot be written, has no journal either: nothing is created with it.
 *
 * @throws {CommandFailure} failed when another apply runs in the folder
 */
export async function lockApply(dataDir: string): Promise<FolderLock | undefined> {
  let lock: FolderLock | undefined
  try {
    await makeFolder(dataDir)
    lock = FolderLock.take(join(dataDir, 'apply.lock'))
  } catch {
    return undefined
  }
  if (lock) return lock
  const message = `Another apply runs in the data folder ${dataDir}`
  const remedy = 'Nothing was changed. Apply the file again when the other run has ended.'
  throw new CommandFailure('failed', message, { remedy })
}

/**
 * Opens the journal of a data folder: what an apply creates, in a private file until it succeeds.
 * With its mark, the next run identifies what a killed run created: an application by its unique
 * name, and a secret without a file by its end. That is some days after a random time, because
 * Entra ID keeps no other property of a secret that a run can choose.
 *
 * @throws {CommandFailure} failed when it is of another apply, damaged or not private.
 */
export async function openJournal(dataDir: string, { path, file }: LoadedFile, tenantId: string) {
  const place = join(dataDir, 'apply-journal.env')
  const record = new RegisteredApplications(dataDir)
  const APPLY = `${resolve(path)} in the tenant ${tenantId}`
  const found = await read(place, APPLY)
  const MARK = found?.MARK ?? randomBytes(32).toString('hex')
  const uniqueName = (displayName: string) =>
    createHmac('sha256', MARK).update(displayName).digest('base64url')
  const times = found?.TIMES.split(',').map(Number) ?? []
  const lost = new Set<string>()
  /** The IDs of the applications that a killed run created. */
  const created = new Set<string>()
  return {
    created,
    record,

    /** Finds the applications of the record and of a killed run, and the secrets whose texts it lost. */
    resume: async ({ applications }: DirectoryState) => {
      const fileOf = fileOfSecret(dataDir, file, found?.SECRETS_FILE)
      for (const one of applications) {
        if (one.uniqueName === uniqueName(one.displayName)) created.add(one.appId)
        for (const secret of one.passwordCredentials) {
          const end = +secret.endDateTime
          // A directory may store the end in whole seconds.
          const isMade = times.some((time) => (end - time + 999) % dayMs < 1000)
          if (!isMade || found?.KNOWN.includes(brief(secret))) continue
          const name = { client: one.displayName, secret: secret.displayName ?? '' }
          const kept = await readEnvFile(fileOf(name)).catch(() => undefined)
          const { CLIENT_ID, CLIENT_SECRET_EXPIRES = '' } = kept ?? {}
          if (CLIENT_ID !== one.appId || Date.parse(CLIENT_SECRET_EXPIRES) !== end)
            lost.add(secret.keyId)
        }
      }
      return { confirmed: created.union(await record.read()), lost }
    },

    /** The options with which a plan is applied, so that the next run can find what it creates. */
    optionsFor: ({ changes, located }: Plan, secretsFile: string | undefined) => {
      const nowMs = Date.now() - randomInt(hourMs)
      const onBegin = async () => {
        if (!changes.some(({ kind }) => creations.has(kind))) return
        const secrets = located.flatMap(({ application }) => application?.passwordCredentials ?? [])
        const KNOWN = secrets
          .filter(({ keyId }) => !lost.has(keyId))
          .map(brief)
          .join()
        const SECRETS_FILE = secretsFile && resolve(secretsFile)
        const text = { APPLY, SECRETS_FILE, TIMES: [...times, nowMs].join(), KNOWN, MARK }
        await makeFolder(dataDir)
          .then(() => writeEnvFile(place, text))
          .catch(cannotWrite(place))
      }
      const onRegistered = record.add
      return { now: () => new Date(nowMs), uniqueName, onBegin, onRegistered }
    },

    /** Removes the journal after a successful run. */
    end: () => rm(place, { force: true }),
  }
}

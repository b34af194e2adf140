// Folder: The first start: built-in APIs, a tenant and an administrator.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { type Directory, type Runtime, secretSha256 } from '@greeting/directory'
import { systemRecord } from '@greeting/directory/audit'
import {
  envText,
  readIfThere,
  recoverSecretFile,
  replaceSecretFile,
  type StagedSecretFile,
  stageSecretFile,
} from '@greeting/directory/files'
import type { DirectoryStore } from '@greeting/directory/live'
import { apisOfEveryTenant } from '../privileges/built-in-apis.ts'
import type { Administrator } from './administrator.ts'
import { type BootstrapPlan, type BootstrapPlanOptions, planBootstrap } from './bootstrap-plan.ts'

/** Service principals that one commit creates. With very many tenants, a start makes several commits. */
const maxLacking = 500

export type BootstrapOptions = AdministratorEndpoints &
  Omit<BootstrapPlanOptions, 'survey'> & {
    readonly store: DirectoryStore
    /** Where `administrator.env` is written, with mode 0600. */
    readonly dataDir: string
    readonly runtime: Runtime
    /** Called when a full disk leaves an earlier address in `administrator.env`. */
    readonly onStaleFile?: (cause: Error) => void
  }

/** Codes of the system for a disk, a quota or a file that cannot grow. */
const fullDiskCodes: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/**
 * Prepares the directory for management, at every start. The first start creates an administrator
 * application, and writes its credentials to `administrator.env`.
 *
 * @returns whether an administrator was created
 * @throws {StorageUnavailableError} when the directory cannot be read or changed.
 */
export async function bootstrap(options: BootstrapOptions): Promise<boolean> {
  const { dataDir, runtime, store } = options
  // A crash may have come between the file and the directory.
  const isKnown = (text: string) => store.readAtStart((directory) => hasSecretOf(directory, text))
  await recoverSecretFile(pathIn(dataDir), isKnown, runtime.now())
  await updateAdministratorFile(dataDir, options).catch((cause: NodeJS.ErrnoException) => {
    if (!fullDiskCodes.has(cause.code ?? '')) throw cause
    options.onStaleFile?.(cause)
  })
  const survey = await store.surveyTenants([...apisOfEveryTenant], maxLacking)
  const { plan, revision } = await store.readAtStart((directory) => ({
    plan: planBootstrap(directory, { ...options, survey }, runtime),
    revision: directory.revision,
  }))
  const isSettled = survey.oldest !== undefined && survey.lacking.length === 0
  // What was missing at another revision may be there already.
  if (!isSettled && survey.revision !== revision) return bootstrap(options)
  if (plan.changes.length === 0) return false
  const draft =
    plan.administrator && (await stageAdministratorFile(dataDir, plan.administrator, options))
  const isCommitted = await commitBootstrap(store, revision, plan, runtime)
  if (!isCommitted) {
    await draft?.discard()
    // Another replica changed the directory meanwhile, so the plan is made again.
    return bootstrap(options)
  }
  await draft?.keep()
  if (survey.lacking.length === maxLacking)
    await bootstrap({ ...options, anotherAdministrator: false })
  return draft !== undefined
}

function commitBootstrap(
  store: DirectoryStore,
  revision: number,
  { changes, tenantId, administrator }: BootstrapPlan,
  runtime: Runtime,
): Promise<boolean> {
  const action = administrator === undefined ? 'directory.bootstrap' : 'administrator.create'
  const target = administrator?.clientId ?? null
  const audit = systemRecord(runtime.now(), action, target, { tenantId })
  return store.update((directory) =>
    directory.revision === revision
      ? { changes, audit: [audit], result: true }
      : { changes: [], audit: [], result: false },
  )
}

/** Whether the directory has the secret in the text of an administrator's file. */
function hasSecretOf(directory: Directory, text: string): boolean {
  const { CLIENT_ID = '', CLIENT_SECRET = '' } = parseEnv(text)
  const hash = secretSha256(CLIENT_SECRET)
  const { passwordCredentials = [] } = directory.applicationByAppId(CLIENT_ID) ?? {}
  return passwordCredentials.some((known) => Buffer.from(known.secretSha256).equals(hash))
}

const pathIn = (dataDir: string) => join(dataDir, 'administrator.env')

/** The URLs for the administrator's client, each without a trailing slash. */
type AdministratorEndpoints = {
  readonly authUrl: string
  /** The base URL of Microsoft Graph, without version. */
  readonly graphUrl: string
}

/** Stages the settings of the administrator's client. They are kept after the directory is changed. */
const stageAdministratorFile = (
  dataDir: string,
  { tenantId, clientId, clientSecret }: Administrator,
  { authUrl, graphUrl }: AdministratorEndpoints,
): Promise<StagedSecretFile> =>
  stageSecretFile(
    pathIn(dataDir),
    envText({
      AUTH_URL: authUrl,
      TENANT_ID: tenantId,
      CLIENT_ID: clientId,
      CLIENT_SECRET: clientSecret,
      GRAPH_URL: graphUrl,
    }),
  )

/** Updates the URLs of an existing file, because the port of the server may have changed. */
export async function updateAdministratorFile(
  dataDir: string,
  { authUrl, graphUrl }: AdministratorEndpoints,
): Promise<void> {
  const text = await readIfThere(pathIn(dataDir))
  if (text === undefined) return
  const settings = parseEnv(text)
  if (settings.AUTH_URL === authUrl && settings.GRAPH_URL === graphUrl) return
  const updated = { ...settings, AUTH_URL: authUrl, GRAPH_URL: graphUrl }
  await replaceSecretFile(pathIn(dataDir), envText(updated))
}

const createdFile = 'store-created'
const createdText = 'The folder has a store. If that is lost, a start needs LOST_CHANGES=accept.\n'

/** The files that a start writes to its folder only after the store has a tenant. */
export const storeTraces = ['administrator.env', 'seeded.json', createdFile]

/** Writes a file that shows later that the store was lost, if the folder can be written. */
export const noteStoreCreated = (dataDir: string) =>
  writeFile(join(dataDir, createdFile), createdText, { flag: 'wx', mode: 0o600 }).catch(() => {})

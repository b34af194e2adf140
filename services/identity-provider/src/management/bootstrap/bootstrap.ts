// Folder: The first start: built-in APIs, a tenant and an administrator.

import { type Directory, type Runtime, secretSha256 } from '@greeting/directory'
import type { DirectoryStore } from '@greeting/directory/live'
import { apisOfEveryTenant } from '../privileges/built-in-apis.ts'
import {
  type AdministratorEndpoints,
  recoverAdministratorFile,
  stageAdministratorFile,
  updateAdministratorFile,
} from './administrator-file.ts'
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
  await recoverAdministratorFile(
    dataDir,
    (...credentials) => store.readAtStart((directory) => isKnownSecret(directory, ...credentials)),
    runtime.now(),
  )
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
  const audit = {
    at: runtime.now(),
    tenantId,
    actor: 'system',
    action: administrator === undefined ? 'directory.bootstrap' : 'administrator.create',
    target: administrator?.clientId ?? null,
    outcome: 'done',
    reason: null,
    correlationId: null,
  } as const
  return store.update((directory) =>
    directory.revision === revision
      ? { changes, audit: [audit], result: true }
      : { changes: [], audit: [], result: false },
  )
}

const isKnownSecret = (directory: Directory, clientId: string, clientSecret: string): boolean =>
  directory
    .applicationByAppId(clientId)
    ?.passwordCredentials.some((known) =>
      Buffer.from(known.secretSha256).equals(secretSha256(clientSecret)),
    ) ?? false

import type { Directory } from '../../directory/directory.ts'
import { secretSha256 } from '../../directory/password-credential.ts'
import type { Runtime } from '../../directory/runtime.ts'
import type { DirectoryStore } from '../../storage/directory-store.ts'
import {
  type AdministratorEndpoints,
  recoverAdministratorFile,
  stageAdministratorFile,
  updateAdministratorFile,
} from './administrator-file.ts'
import { type BootstrapPlan, type FirstTenant, planBootstrap } from './bootstrap-plan.ts'

export type BootstrapOptions = AdministratorEndpoints & {
  readonly store: DirectoryStore
  /** Where `administrator.env` is written, with mode 0600. */
  readonly dataDir: string
  /** The tenant to make when the directory has none. */
  readonly firstTenant: FirstTenant
  /** Makes an administrator even if there is one: for an operator who has lost the secret. */
  readonly anotherAdministrator?: boolean
  readonly runtime: Runtime
}

/**
 * Makes sure that the directory can be managed, at every start: on the first one, an administrator
 * application is made, and how to act as it is written to `administrator.env`.
 *
 * @returns whether an administrator was made.
 * @throws {StorageUnavailableError} storage_unavailable when the directory cannot be read or changed.
 */
export async function bootstrap(options: BootstrapOptions): Promise<boolean> {
  const { anotherAdministrator = false, dataDir, firstTenant, runtime, store } = options
  const before = await store.refresh()
  await recoverAdministratorFile(
    dataDir,
    (...access) => isKnownSecret(before, ...access),
    runtime.now(),
  )
  await updateAdministratorFile(dataDir, options)
  const foundation = planBootstrap(before, { firstTenant, anotherAdministrator }, runtime)
  if (foundation.changes.length === 0) return false
  const draft =
    foundation.administrator &&
    (await stageAdministratorFile(dataDir, foundation.administrator, options))
  const isOurs = await commitBootstrap(store, before.revision, foundation, runtime)
  if (!isOurs) {
    await draft?.discard()
    // Another replica changed the directory meanwhile: ask again what it lacks.
    return bootstrap(options)
  }
  await draft?.keep()
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
    action: administrator === undefined ? 'directory.found' : 'administrator.create',
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

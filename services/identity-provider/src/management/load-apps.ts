import { setImmediate as nextTurn } from 'node:timers/promises'

/** Each part loads what the parts before it have not loaded: mostly less than 10 ms of work. */
const parts: readonly (() => Promise<unknown>)[] = [
  () => import('./operations/execute-operation.ts'),
  () => import('./operations/operations-app.ts'),
  () => import('./odata/query-options.ts'),
  () => import('./odata/list-stored.ts'),
  () => import('./graph/directory-objects/entity-sets.ts'),
  () => import('./graph/directory-objects/credential-body.ts'),
  () => import('./graph/applications/application-body.ts'),
  () => import('./graph/applications/application-operations.ts'),
  () => import('./graph/service-principals/service-principal-operations.ts'),
  () => import('./graph/applications/federated-identity-credential-operations.ts'),
  () => import('./graph/directory-objects/password-operations.ts'),
  () => import('./graph/directory-objects/deleted-item-operations.ts'),
  () => import('./graph/service-principals/permission-grant-operations.ts'),
  () => import('./graph/metadata-operations.ts'),
  () => import('./graph/batch-operation.ts'),
  () => import('./graph/service-principals/app-role-assignment-operations.ts'),
  () => import('./graph/graph-operations.ts'),
  () => import('./server/signing-key-operations.ts'),
  () => import('./server/server-operations.ts'),
  () => import('./privileges/authenticate-with-guard.ts'),
]

/** Loads the management APIs in parts, so that the thread can issue tokens in between. */
export async function loadManagementApps(): Promise<typeof import('./create-apps.ts')> {
  for (const load of parts) {
    await load()
    await nextTurn()
  }
  return import('./create-apps.ts')
}

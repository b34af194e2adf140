import { setImmediate as nextTurn } from 'node:timers/promises'

/** Each part loads what the parts before it have not loaded. */
const parts: readonly (() => Promise<unknown>)[] = [
  () => import('./http/operations-app.ts'),
  () => import('./odata/list-stored.ts'),
  () => import('./graph/applications/application-operations.ts'),
  () => import('./graph/service-principals/service-principal-operations.ts'),
  () => import('./graph/graph-operations.ts'),
  () => import('./server/server-operations.ts'),
]

/** Loads the code of the management APIs. Between two parts, the thread issues tokens. */
export async function loadManagementApps(): Promise<typeof import('./create-apps.ts')> {
  for (const load of parts) {
    await load()
    await nextTurn()
  }
  return import('./create-apps.ts')
}

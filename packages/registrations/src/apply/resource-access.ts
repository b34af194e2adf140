import type { ChangeOf } from '../planning/steps/change.ts'
import type { ApplyContext } from './apply-context.ts'

/** The permissions of a client, in the form of Graph. */
export function requiredResourceAccess(
  { permissions, delegated }: ChangeOf<'setPermissions'>,
  run: ApplyContext,
) {
  const access = new Map<string, { readonly id: string; readonly type: string }[]>()
  const add = (resourceAppId: string, ids: readonly string[], type: string) =>
    access.set(resourceAppId, [
      ...(access.get(resourceAppId) ?? []),
      ...ids.map((id) => ({ id, type })),
    ])
  for (const { api, roles } of permissions)
    add(
      run.handle(api).appId,
      roles.map(({ id }) => id),
      'Role',
    )
  for (const { resourceAppId, ids } of delegated) add(resourceAppId, ids, 'Scope')
  return [...access].map(([resourceAppId, resourceAccess]) => ({
    resourceAppId,
    resourceAccess,
  }))
}

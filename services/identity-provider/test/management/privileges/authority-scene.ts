import { type Application, privilegedApiAppIds, type ServicePrincipal } from '@greeting/directory'
import type { DirectoryIndex as Directory } from '../../../../../test/fixtures/directory/directory-index.ts'
import type { Person } from './held-authority.ts'

/** One step of a sequence. The numbers choose among the objects that exist at that time. */
export type Step = {
  readonly operation: string
  readonly person: 'leader' | 'writer' | number
  readonly credential: number
  readonly onFocus: boolean
  readonly object: number
  readonly api: number
  readonly role: number
  readonly variant: number
}

/** The objects among which a step chooses. */
export type Scene = {
  readonly directory: Directory
  readonly step: Step
  readonly person: Person
  readonly applicationId: string
  readonly tenantId: string
  readonly focusAppId: string
  readonly principalAppId: string
}

export type Asked = {
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export const oneOf = <One>(all: readonly One[], index: number): One | undefined =>
  all[index % Math.max(1, all.length)]

/** Chooses the application in focus, any application of the caller's tenant, or sometimes one of another tenant. */
export function application({
  directory,
  focusAppId,
  step,
  tenantId,
}: Scene): Application | undefined {
  const all = [...directory.tenants()].flatMap(({ id }) => [...directory.applicationsOf(id)])
  const apis = privilegedApiAppIds.flatMap((appId) => directory.applicationByAppId(appId) ?? [])
  const near = all.filter((one) => one.tenantId === tenantId)
  const focused = all.find(({ appId }) => appId === focusAppId)
  if (step.onFocus) return focused ?? apis.find(({ appId }) => appId === focusAppId)
  return oneOf(step.variant % 8 === 0 ? [...all, ...apis] : near, step.object)
}

/** Chooses the service principal in focus, or any service principal of the caller's tenant. */
export function principal(scene: Scene): ServicePrincipal | undefined {
  const { directory, principalAppId, step, tenantId } = scene
  const near = [...directory.servicePrincipalsOf(tenantId)]
  if (step.onFocus) return near.find(({ appId }) => appId === principalAppId)
  return oneOf(near, step.object)
}

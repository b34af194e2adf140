import type { Kind } from '../graph/applications.ts'

/** The pages of one application, with the names of Entra. */
const applicationTabRows = [
  { name: 'Overview', suffix: '', of: 'any' },
  { name: 'Agents', suffix: '/agents', of: 'blueprint' },
  { name: 'Certificates & secrets', suffix: '/credentials', of: 'application' },
  { name: 'API permissions', suffix: '/permissions', of: 'any' },
  { name: 'App roles', suffix: '/roles', of: 'application' },
  { name: 'Expose an API', suffix: '/expose', of: 'application' },
  { name: 'Role assignments', suffix: '/assignments', of: 'application' },
  { name: 'Manifest', suffix: '/manifest', of: 'application' },
] as const

export type Tab = (typeof applicationTabRows)[number]['name']

/** The pages of a kind: an agent has neither an application nor credentials. */
export const tabsOf = (kind: Kind): readonly Tab[] =>
  applicationTabRows
    .filter(({ of }) => of === 'any' || of === kind || (of === 'application' && kind !== 'agent'))
    .map(({ name }) => name)

export const applicationPath = (appId: string, tab: Tab = 'Overview'): string =>
  `/portal/applications/${appId}${applicationTabRows.find(({ name }) => name === tab)?.suffix ?? ''}`

export const deletedPath = '/portal/deleted'
export const deletedAgentsPath = `${deletedPath}?kind=agents`

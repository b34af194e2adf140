import { tabs } from './tabs.ts'

const rows = [
  { name: 'Overview', suffix: '' },
  { name: 'Certificates & secrets', suffix: '/credentials' },
  { name: 'API permissions', suffix: '/permissions' },
  { name: 'App roles', suffix: '/roles' },
  { name: 'Expose an API', suffix: '/expose' },
  { name: 'Role assignments', suffix: '/assignments' },
  { name: 'Manifest', suffix: '/manifest' },
] as const

export type Tab = (typeof rows)[number]['name']

/** The path of a page of one application. */
export const applicationPath = (appId: string, tab: Tab = 'Overview'): string =>
  `/portal/applications/${appId}${rows.find(({ name }) => name === tab)?.suffix ?? ''}`

/** The pages of one application, with the names of Entra. */
export const applicationTabs = (appId: string, current: Tab) =>
  tabs(
    'Application',
    rows.map(({ name }) => ({ name, path: applicationPath(appId, name) })),
    current,
  )

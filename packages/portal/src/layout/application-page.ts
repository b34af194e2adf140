/** The pages of one application, with the names of Entra. */
export const applicationTabRows = [
  { name: 'Overview', suffix: '' },
  { name: 'Certificates & secrets', suffix: '/credentials' },
  { name: 'API permissions', suffix: '/permissions' },
  { name: 'App roles', suffix: '/roles' },
  { name: 'Expose an API', suffix: '/expose' },
  { name: 'Role assignments', suffix: '/assignments' },
  { name: 'Manifest', suffix: '/manifest' },
] as const

export type Tab = (typeof applicationTabRows)[number]['name']

/** The path of a page of one application. */
export const applicationPath = (appId: string, tab: Tab = 'Overview'): string =>
  `/portal/applications/${appId}${applicationTabRows.find(({ name }) => name === tab)?.suffix ?? ''}`

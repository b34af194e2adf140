import { html } from 'hono/html'

const tabs = [
  { name: 'Overview', suffix: '' },
  { name: 'Certificates & secrets', suffix: '/credentials' },
  { name: 'API permissions', suffix: '/permissions' },
  { name: 'App roles', suffix: '/roles' },
  { name: 'Expose an API', suffix: '/expose' },
  { name: 'Role assignments', suffix: '/assignments' },
  { name: 'Manifest', suffix: '/manifest' },
] as const

export type Tab = (typeof tabs)[number]['name']

/** The path of a page of one application. */
export const applicationPath = (appId: string, tab: Tab = 'Overview'): string =>
  `/portal/applications/${appId}${tabs.find(({ name }) => name === tab)?.suffix ?? ''}`

/** The pages of one application, with the names of Entra. */
export const applicationTabs = (appId: string, current: Tab) =>
  html`<nav aria-label="Application" class="tabs"><ul>${tabs.map(
    ({ name }) =>
      html`<li><a href="${applicationPath(appId, name)}"${name === current ? html` aria-current="page"` : ''}>${name}</a></li>`,
  )}</ul></nav>`

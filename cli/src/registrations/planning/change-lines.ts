import type { Change, ChangeKind, ChangeOf, PropertyChange, RequestedRoles } from './change.ts'
import { oneLine } from './one-line.ts'
import { day } from './plan-secrets.ts'

/** One line of a diff: `+` comes, `-` goes, `~` becomes something else. */
export type Line = { readonly sign: '+' | '-' | '~'; readonly text: string }

type Lines = { readonly [Kind in ChangeKind]: (step: ChangeOf<Kind>) => Line[] }

const plus = (text: string): Line => ({ sign: '+', text })
const minus = (text: string): Line => ({ sign: '-', text })
const tilde = (text: string): Line => ({ sign: '~', text })

const linesOf: Lines = {
  createApplication: ({ application }) => [plus(`application "${application}"`)],
  updateApplication: ({ application, changes }) =>
    changes.flatMap((change) => propertyLines(application, change)),
  createServicePrincipal: ({ application, appRoleAssignmentRequired: required }) => [
    plus(
      `service principal of "${application}"${required ? ', which demands an assignment of its callers' : ''}`,
    ),
  ],
  updateServicePrincipal: ({ application, changes }) =>
    changes.flatMap((change) => propertyLines(application, change)),
  disableAppRoles: ({ application, disabled }) =>
    disabled.map(({ value }) =>
      tilde(`role ${value} of "${application}": disabled, to be changed`),
    ),
  setAppRoles: ({ application, changes }) =>
    changes.flatMap(({ role: { value, id }, what, changes: properties }) => {
      if (what === 'added') return [plus(`role ${value} of "${application}" (${id})`)]
      if (what === 'removed') return [minus(`role ${value} of "${application}" (${id})`)]
      return properties.map(({ property, from, to }) =>
        tilde(`role ${value} of "${application}": ${property} ${shown(from)} -> ${shown(to)}`),
      )
    }),
  setPermissions: ({ application, added, removed }) => [
    ...permissionTexts(application, added).map(plus),
    ...permissionTexts(application, removed).map(minus),
  ],
  grantConsent: ({ application, api, role }) => [
    plus(`"${application}" is granted ${role.value} of "${api}"`),
  ],
  revokeConsent: ({ application, api, role }) => [
    minus(`"${application}" was granted ${role.value} of "${api}"`),
  ],
  createSecret: ({ application, secret, lifetimeDays, reason }) => [
    plus(
      `secret "${secret}" of "${application}", good for ${days(lifetimeDays)}${because(reason)}`,
    ),
  ],
  rotateSecret: ({ application, secret, lifetimeDays, reason }) => [
    tilde(
      `secret "${secret}" of "${application}": a new one, good for ${days(lifetimeDays)}, beside the present one${because(reason)}`,
    ),
  ],
  removeSecret: ({ application, secret, hint, endDateTime, reason }) => [
    minus(
      `secret "${secret}" of "${application}" (${hint}..., ends ${day(endDateTime)})${because(reason)}`,
    ),
  ],
  setCertificates: ({ application, added, removed }) => [
    ...added.map(({ displayName, sha1Thumbprint, endDateTime }) =>
      plus(
        `certificate "${displayName}" of "${application}" (${sha1Thumbprint}, ends ${day(endDateTime)})`,
      ),
    ),
    ...removed.map(({ displayName }) => minus(`certificate "${displayName}" of "${application}"`)),
  ],
  deleteApplication: ({ application, appId }) => [
    minus(`application "${application}" (${appId}), with its service principal`),
  ],
}

/** A step as lines of a diff. */
export const changeLines = (step: Change): Line[] =>
  (linesOf[step.kind] as (step: Change) => Line[])(step).map(({ sign, text }) => ({
    sign,
    text: oneLine(text),
  }))

/** What one entry of a list is called. */
const entryNames: Readonly<Record<string, string>> = { identifierUris: 'identifier URI' }

function propertyLines(application: string, { property, from, to }: PropertyChange): Line[] {
  if (!Array.isArray(from) || !Array.isArray(to))
    return [tilde(`"${application}": ${property} ${shown(from)} -> ${shown(to)}`)]
  const one = `${entryNames[property] ?? property} of "${application}"`
  return [
    ...to.filter((value) => !from.includes(value)).map((value) => plus(`${one}: ${value}`)),
    ...from.filter((value) => !to.includes(value)).map((value) => minus(`${one}: ${value}`)),
  ]
}

const permissionTexts = (client: string, permissions: readonly RequestedRoles[]) =>
  permissions.flatMap(({ api, roles }) =>
    roles.map(({ value }) => `"${client}" requests ${value} of "${api}"`),
  )

const shown = (value: unknown) => (Array.isArray(value) ? value.join('+') : JSON.stringify(value))
const days = (count: number) => `${count} ${count === 1 ? 'day' : 'days'}`
const because = (reason: string | undefined) => (reason === undefined ? '' : `: ${reason}`)

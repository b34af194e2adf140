import { day, onOneLine } from '../directory/text.ts'
import type {
  Change,
  ChangeKind,
  ChangeOf,
  PropertyChange,
  RequestedRoles,
} from './steps/change.ts'

/** One line of a diff: `+` adds, `-` removes, `~` changes. */
export type DiffLine = { readonly sign: '+' | '-' | '~'; readonly text: string }

type ChangeTexts = { readonly [Kind in ChangeKind]: (change: ChangeOf<Kind>) => DiffLine[] }

const plus = (text: string): DiffLine => ({ sign: '+', text })
const minus = (text: string): DiffLine => ({ sign: '-', text })
const tilde = (text: string): DiffLine => ({ sign: '~', text })

const changeTexts: ChangeTexts = {
  createApplication: ({ application, sponsors }) => [
    plus(`${sponsors ? 'blueprint' : 'application'} "${application}"`),
  ],
  updateApplication: ({ application, changes }) =>
    changes.flatMap((change) => propertyLines(application, change)),
  createServicePrincipal: ({ application, appRoleAssignmentRequired: required }) => [
    plus(
      `service principal of "${application}"${required ? ', which requires an assignment of its clients' : ''}`,
    ),
  ],
  updateServicePrincipal: ({ application, changes }) =>
    changes.flatMap((change) => propertyLines(application, change)),
  disableAppRoles: ({ application, disabled }) =>
    disabled.map(({ value }) =>
      tilde(`role ${value} of "${application}": disabled before its change`),
    ),
  setAppRoles: ({ application, changes }) =>
    changes.flatMap(({ role: { value, id }, what, changes: properties }) => {
      if (what === 'added') return [plus(`role ${value} of "${application}" (${id})`)]
      if (what === 'removed') return [minus(`role ${value} of "${application}" (${id})`)]
      return properties.map(({ property, from, to }) =>
        tilde(
          `role ${value} of "${application}": ${property} ${valueText(from)} -> ${valueText(to)}`,
        ),
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
      `secret "${secret}" of "${application}", valid for ${days(lifetimeDays)}${because(reason)}`,
    ),
  ],
  rotateSecret: ({ application, secret, lifetimeDays, reason }) => [
    tilde(
      `secret "${secret}" of "${application}": a new one, valid for ${days(lifetimeDays)}, in addition to the current one${because(reason)}`,
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
  setFederatedCredentials: ({ application, added, removed }) => [
    ...removed.map(({ name }) => minus(`federated credential "${name}" of "${application}"`)),
    ...added.map(({ displayName, issuer, subject }) =>
      plus(`federated credential "${displayName}" of "${application}" (${issuer}, ${subject})`),
    ),
  ],
  setInheritance: ({ application, api, roles }) => {
    const text = `agents of "${application}" inherit its roles of "${api}"`
    return [roles === 'none' ? minus(text) : plus(text)]
  },
  createAgent: ({ application, blueprint }) => [plus(`agent "${application}" of "${blueprint}"`)],
  deleteAgent: ({ application, blueprint, objectId }) => [
    minus(`agent "${application}" of "${blueprint}" (${objectId})`),
  ],
  deleteApplication: ({ application, appId }) => [
    minus(`application "${application}" (${appId}), with its service principal`),
  ],
}

export const changeLines = (change: Change): DiffLine[] =>
  (changeTexts[change.kind] as (change: Change) => DiffLine[])(change).map(({ sign, text }) => ({
    sign,
    text: onOneLine(text),
  }))

/** Names for one entry of a list property. */
const entryNames: Readonly<Record<string, string>> = { identifierUris: 'identifier URI' }

function propertyLines(application: string, { property, from, to }: PropertyChange): DiffLine[] {
  if (!Array.isArray(from) || !Array.isArray(to))
    return [tilde(`"${application}": ${property} ${valueText(from)} -> ${valueText(to)}`)]
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

const valueText = (value: unknown) =>
  Array.isArray(value) ? value.join('+') : JSON.stringify(value)
const days = (count: number) => `${count} ${count === 1 ? 'day' : 'days'}`
const because = (reason: string | undefined) => (reason === undefined ? '' : `: ${reason}`)

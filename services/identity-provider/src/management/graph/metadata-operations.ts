import { type ComplexType, complexTypeIn, typeName } from '@greeting/directory'
import type { EntitySet } from '../odata/entity-set.ts'
import { parseQuery, supportedOptions } from '../odata/query-options.ts'
import { operation, type ReadOperation } from '../operations/operation.ts'
import { agentTypes, anyClient } from '../privileges/graph-roles.ts'
import { inheritablePermissions } from './agents/inheritable-permission-operations.ts'
import { extensionProperties } from './applications/extension-property-operations.ts'
import {
  applications,
  appRoleAssignments,
  directoryObjects,
  federatedIdentityCredentials,
  servicePrincipals,
} from './directory-objects/entity-sets.ts'
import { groups, users } from './directory-objects/user.ts'
import { domains, organization } from './organization-operations.ts'
import {
  appManagementPolicies,
  defaultPolicy,
} from './policies/app-management-policy-operations.ts'
import { claimsMappingPolicies, tokenLifetimePolicies } from './policies/token-policy-operations.ts'
import { authorityLists, trustedAuthorities } from './policies/trusted-authority-operations.ts'
import { permissionGrants } from './service-principals/permission-grant-operations.ts'

const credentialActions: ModelSet['actions'] = {
  addPassword: {
    parameters: { passwordCredential: 'graph.passwordCredential' },
    returns: 'graph.passwordCredential',
  },
  removePassword: { parameters: { keyId: 'Edm.Guid' } },
  addKey: {
    parameters: {
      keyCredential: 'graph.keyCredential',
      passwordCredential: 'graph.passwordCredential',
      proof: 'Edm.String',
    },
    returns: 'graph.keyCredential',
  },
  removeKey: { parameters: { keyId: 'Edm.Guid', proof: 'Edm.String' } },
}
const owners = { owners: 'directoryObject' }

/** The entity sets of Microsoft Graph that this server has. */
export const model: readonly ModelSet[] = [
  { set: directoryObjects, actions: { restore: { returns: 'graph.directoryObject' } } },
  {
    set: applications,
    navigation: {
      ...owners,
      appManagementPolicies: 'appManagementPolicy',
      extensionProperties: 'extensionProperty',
      federatedIdentityCredentials: 'federatedIdentityCredential',
      tokenLifetimePolicies: 'tokenLifetimePolicy',
    },
    actions: credentialActions,
    hasChanges: true,
  },
  {
    set: servicePrincipals,
    navigation: {
      ...owners,
      appManagementPolicies: 'appManagementPolicy',
      claimsMappingPolicies: 'claimsMappingPolicy',
      tokenLifetimePolicies: 'tokenLifetimePolicy',
      appRoleAssignedTo: 'appRoleAssignment',
      appRoleAssignments: 'appRoleAssignment',
      oauth2PermissionGrants: 'oAuth2PermissionGrant',
    },
    actions: credentialActions,
    hasChanges: true,
  },
  { set: extensionProperties, isContained: true },
  { set: federatedIdentityCredentials, isContained: true },
  { set: inheritablePermissions, isContained: true, key: 'resourceAppId' },
  ...Object.entries(agentTypes).map(([type, base]) => ({
    set: { name: base, type, properties: {} },
    base: { applications, servicePrincipals }[base].type,
    navigation: {
      sponsors: 'directoryObject',
      ...(base === 'applications' ? { inheritablePermissions: 'inheritablePermission' } : {}),
    },
    isContained: true as const,
  })),
  { set: appRoleAssignments, isContained: true },
  { set: permissionGrants, hasChanges: true },
  { set: appManagementPolicies, isContained: true, navigation: { appliesTo: 'directoryObject' } },
  { set: defaultPolicy, isContained: true },
  ...[tokenLifetimePolicies, claimsMappingPolicies].map((set) => ({
    set,
    isContained: true as const,
    navigation: { appliesTo: 'directoryObject' },
  })),
  {
    set: authorityLists,
    isContained: true,
    navigation: { trustedCertificateAuthorities: 'certificateAuthorityAsEntity' },
  },
  { set: trustedAuthorities, isContained: true },
  { set: organization },
  { set: domains },
  {
    set: users,
    navigation: { appRoleAssignments: 'appRoleAssignment', ownedObjects: 'directoryObject' },
  },
  { set: groups },
]

/** The document never changes. A batch may request it 20 times. */
let document: string | undefined

/** The operation that serves the model of this API for OData tools. */
export const metadataOperations: readonly ReadOperation[] = [
  operation('GET /$metadata', anyClient, {
    summary: 'Shows the types of all objects and their properties, in XML.',
    read: (call) => {
      parseQuery(call, supportedOptions.nothing)
      const contentType = 'application/xml; charset=utf-8'
      document ??= metadataDocument(model)
      return { status: 200, content: document, contentType }
    },
  }),
]

/** A set of the model, with the collections that its objects contain or refer to. */
type ModelSet = {
  readonly set: Pick<EntitySet<never>, 'name' | 'type' | 'properties'>
  /** The collections of an object, with the types of their members. */
  readonly navigation?: Readonly<Record<string, string>>
  /** The functions that change an object, with their result and their parameters. */
  readonly actions?: Readonly<
    Record<string, { readonly returns?: string; readonly parameters?: Record<string, string> }>
  >
  /** Whether the function `delta` lists the changed objects. */
  readonly hasChanges?: true
  /** Whether requests reach the objects only through the objects that contain them. */
  readonly isContained?: true
  /** The type from which this one inherits all else. */
  readonly base?: string
  /** The property that identifies an object; default `id`. */
  readonly key?: string
}

const propertiesXml = (rows: ComplexType['members']) =>
  Object.entries(rows)
    .map(([name, { type = 'Edm.String' }]) => `<Property Name="${name}" Type="${typeName(type)}"/>`)
    .join('')

function entityXml({ base, key = 'id', set, navigation = {} }: ModelSet): string {
  const { [key]: _key, ...properties } = typesOf(set)
  const navigations = Object.entries(navigation).map(
    ([name, type]) => `<NavigationProperty Name="${name}" Type="Collection(graph.${type})"/>`,
  )
  const content = `${propertiesXml(properties)}${navigations.join('')}</EntityType>`
  return base === undefined
    ? `<EntityType Name="${set.type}"><Key><PropertyRef Name="${key}"/></Key><Property Name="${key}" Type="Edm.String" Nullable="false"/>${content}`
    : `<EntityType Name="${set.type}" BaseType="graph.${base}">${content}`
}

const actionsXml = ({ set, actions = {} }: ModelSet) =>
  Object.entries(actions)
    .map(
      ([name, { returns, parameters = {} }]) =>
        `<Action Name="${name}" IsBound="true"><Parameter Name="bindingParameter" Type="graph.${set.type}"/>${Object.entries(
          parameters,
        )
          .map(([parameter, type]) => `<Parameter Name="${parameter}" Type="${type}"/>`)
          .join('')}${returns === undefined ? '' : `<ReturnType Type="${returns}"/>`}</Action>`,
    )
    .join('')

const functionXml = ({ set, hasChanges }: ModelSet) =>
  hasChanges === undefined
    ? ''
    : `<Function Name="delta" IsBound="true"><Parameter Name="bindingParameter" Type="Collection(graph.${set.type})"/><ReturnType Type="Collection(graph.${set.type})"/></Function>`

const complexXml = ({ type, members }: ComplexType) =>
  `<ComplexType Name="${type}">${propertiesXml(members)}</ComplexType>`

const typesOf = ({ properties }: ModelSet['set']): ComplexType['members'] =>
  Object.fromEntries(Object.entries(properties).map(([name, { type }]) => [name, { type }]))

/** The complex types of these sets' properties and members, by name. */
export function complexTypesOf(model: readonly ModelSet[]): readonly ComplexType[] {
  const found = new Map<string, ComplexType>()
  const add = (rows: ComplexType['members']) => {
    for (const { type } of Object.values(rows)) {
      const complex = complexTypeIn(type)
      if (complex === undefined || found.has(complex.type)) continue
      found.set(complex.type, complex)
      add(complex.members)
    }
  }
  for (const { set } of model) add(typesOf(set))
  return [...found.values()].sort((a, b) => (a.type < b.type ? -1 : 1))
}

/**
 * The model of this API in XML, from the tables of its sets.
 *
 * @see OData CSDL XML Representation 4.01
 */
export function metadataDocument(model: readonly ModelSet[]): string {
  const sets = model
    .filter(({ isContained }) => isContained !== true)
    .map(({ set }) => `<EntitySet Name="${set.name}" EntityType="microsoft.graph.${set.type}"/>`)
  const parts = [
    ...model.map(entityXml),
    ...complexTypesOf(model).map(complexXml),
    ...model.map(actionsXml),
    ...model.map(functionXml),
    `<EntityContainer Name="GraphService">${sets.join('')}</EntityContainer>`,
  ]
  return `<?xml version="1.0" encoding="utf-8"?>\n<edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx"><edmx:DataServices><Schema Namespace="microsoft.graph" Alias="graph" xmlns="http://docs.oasis-open.org/odata/ns/edm">${parts.join('')}</Schema></edmx:DataServices></edmx:Edmx>\n`
}
